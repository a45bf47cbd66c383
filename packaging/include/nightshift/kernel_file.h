// Reads what `nightshift export --format cubin` and `nightshift table --format cubin` write:
// docs/morning.md has the format. C++20, the standard library alone.
#pragma once

#include <array>
#include <cstddef>

#include "size_program.h"

namespace nightshift {

struct KernelArgument {
  std::string name, type, access;  // access: in, out, inout or work; of a scalar -
  std::string fill;                // of a work vector: the bytes of an element, in hex; none: -
  bool scalar = false;
};
struct KernelMap {  // a tensor map; dimension 0 is the innermost
  std::size_t argument = 0;
  int type = 0;                                 // CUtensorMapDataType
  std::string swizzle, promotion;               // programs: bytes
  std::vector<std::string> extent, pitch, box;  // programs: elements, bytes, elements
};
struct KernelLaunch {
  std::string symbol, when, shared, programmatic;  // the last three are programs
  std::array<std::string, 3> grid, block, cluster;
  std::vector<std::string> takes;  // "a2" an argument, "m0" a map, "x" with 16 hex digits a number
};
struct KernelVariant {
  std::size_t code = 0;
  std::string role;                  // "default", or a word of who wrote it
  std::vector<std::string> extents;  // of each argument: elements, or a scalar's value
  std::vector<KernelMap> maps;
  std::vector<KernelLaunch> launches;
};

struct KernelFile {
  // The variant of a call. Throws KernelError where the file has none for these sizes.
  std::size_t choose(const KernelNumbers& names) const {
    std::vector<double> key;
    for (const std::string& size : sizes) key.push_back(SizeProgram::run("$" + size, names));
    const auto row = rows.find(key);
    const double found =
        row != rows.end() ? static_cast<double>(row->second) : SizeProgram::run(otherwise, names);
    if (found >= 0 && found < static_cast<double>(variants.size())) {
      return static_cast<std::size_t>(found);
    }
    std::string words;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      words += " " + sizes[i] + "=" + std::to_string(static_cast<long long>(key[i]));
    }
    throw KernelError(problem + " has no kernel for" + words + ": tune these sizes as well");
  }

  std::string bytes;         // of the whole file
  std::string problem;       // its name
  int major = 0, minor = 0;  // compute capability
  bool exact = false;        // runs there alone, not on later minor versions as well
  std::vector<std::string> sizes;
  std::vector<KernelArgument> arguments;
  std::vector<std::string_view> codes;  // parts of `bytes`
  std::vector<KernelVariant> variants;
  std::map<std::vector<double>, std::size_t> rows;
  std::string otherwise = "-1";  // a program: the variant of sizes that are no row, or -1
};

// KernelLaunch::takes: a word that points to an argument or a map that is there, or a number.
inline bool is_taken(const std::string& word, const KernelFile& file, const KernelVariant& v) {
  std::uint64_t place = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data() + 1, end, place, word.front() == 'x' ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end) return false;
  if (word.front() == 'x') return true;
  return place < (word.front() == 'a'   ? file.arguments.size()
                  : word.front() == 'm' ? v.maps.size()
                                        : 0);
}

// What points somewhere points at something.
inline bool is_whole(const KernelFile& file) {
  bool whole = !file.variants.empty() && !file.sizes.empty() && file.major > 0;
  for (const auto& [key, variant] : file.rows) whole &= variant < file.variants.size();
  for (const KernelVariant& v : file.variants) {
    whole &= v.code < file.codes.size() && v.extents.size() == file.arguments.size();
    for (const KernelMap& map : v.maps) whole &= map.argument < file.arguments.size();
    for (const KernelLaunch& launch : v.launches) {
      whole &= !launch.grid[2].empty() && !launch.block[2].empty() && !launch.cluster[2].empty();
      for (const std::string& word : launch.takes) whole &= is_taken(word, file, v);
    }
  }
  return whole;
}

}  // namespace nightshift
