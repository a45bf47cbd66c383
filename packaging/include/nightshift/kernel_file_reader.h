// Reads what `nightshift export --format cubin` and `nightshift table --format cubin` write.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "kernel_file.h"

namespace nightshift {

class KernelFileReader {
 public:
  // Throws KernelError where it cannot be read, is no such file, or is not whole.
  static std::unique_ptr<KernelFile> read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw KernelError(path + " cannot be read");
    try {
      return parse(std::string(std::istreambuf_iterator<char>(in), {}));
    } catch (const KernelError& error) {
      throw KernelError(path + ": " + error.what());
    }
  }
  static std::unique_ptr<KernelFile> parse(std::string bytes) {
    KernelFileReader reader;
    reader.file_->bytes = std::move(bytes);
    reader.take_lines();
    if (!is_whole(*reader.file_)) throw KernelError("it contradicts itself");
    return std::move(reader.file_);
  }

 private:
  void take_lines() {
    std::istringstream lines(file_->bytes.substr(0, file_->bytes.find('\n')));
    std::string word, line;
    std::size_t version = 0, header = 0, whole = 0;
    if (!(lines >> word >> version >> header >> whole) || word != "nightshift-kernels") {
      throw KernelError("this is no file of kernels");
    }
    if (version != 1) throw KernelError("this file of kernels is of a later version");
    if (whole != file_->bytes.size() || header > whole) throw KernelError("it is not whole");
    lines = std::istringstream(file_->bytes.substr(0, header));
    std::getline(lines, line);
    for (int number = 2; std::getline(lines, line); ++number) {
      words_ = std::istringstream(line);
      if (words_ >> word && !(take_head(word) || take_choice(word) || take_variant(word))) {
        throw KernelError("line " + std::to_string(number) + " is wrong");
      }
    }
  }

  std::vector<std::string> rest() { return {std::istream_iterator<std::string>(words_), {}}; }

  bool take_head(const std::string& word) {
    if (word == "note" || word == "end") return true;  // for people, and the last one
    if (word == "problem") return static_cast<bool>(words_ >> file_->problem);
    if (word == "sizes") return !(file_->sizes = rest()).empty();
    if (word == "architecture") {
      std::string which;
      words_ >> file_->major >> file_->minor >> which;
      file_->exact = which == "exact";
      return file_->exact || which == "later";
    }
    if (word != "argument") return false;
    std::string kind;
    KernelArgument& a = file_->arguments.emplace_back();
    words_ >> kind >> a.type >> a.access >> a.fill >> a.name;
    a.scalar = kind == "scalar";
    return words_ && (kind == "scalar" || kind == "vector");
  }

  bool take_choice(const std::string& word) {
    if (word == "otherwise") return static_cast<bool>(words_ >> file_->otherwise);
    if (word == "code") {
      std::size_t offset = 0, bytes = 0;
      const std::size_t whole = file_->bytes.size();
      if (!(words_ >> offset >> bytes) || offset > whole || bytes > whole - offset) return false;
      file_->codes.push_back(std::string_view(file_->bytes).substr(offset, bytes));
      return bytes > 0;
    }
    if (word != "row") return false;
    std::size_t variant = 0;
    words_ >> variant;
    std::vector<double> key(std::istream_iterator<double>(words_), {});
    if (key.size() != file_->sizes.size()) return false;
    file_->rows[std::move(key)] = variant;
    return true;
  }

  bool take_variant(const std::string& word) {
    if (word == "variant") {
      KernelVariant& v = file_->variants.emplace_back();
      return static_cast<bool>(words_ >> v.code >> v.role);
    }
    if (file_->variants.empty()) return false;
    KernelVariant& v = file_->variants.back();
    if (word == "value") return true;  // of a parameter, for people
    if (word == "extent") return static_cast<bool>(words_ >> v.extents.emplace_back());
    if (word == "map") return take_map(v.maps.emplace_back());
    if (word == "launch") {
      KernelLaunch& one = v.launches.emplace_back();
      return static_cast<bool>(words_ >> one.symbol >> one.when >> one.shared >> one.programmatic);
    }
    return !v.launches.empty() && take_launch(word, v.launches.back());
  }

  bool take_map(KernelMap& map) {
    std::size_t rank = 0;
    words_ >> map.argument >> map.type >> map.swizzle >> map.promotion >> rank;
    const std::vector<std::string> words = rest();
    if (rank < 1 || rank > 5 || words.size() != 3 * rank - 1) return false;
    const auto pitch = words.begin() + static_cast<std::ptrdiff_t>(rank);
    const auto box = pitch + static_cast<std::ptrdiff_t>(rank) - 1;
    map.extent.assign(words.begin(), pitch);
    map.pitch.assign(pitch, box);
    map.box.assign(box, words.end());
    return true;
  }

  bool take_launch(const std::string& word, KernelLaunch& launch) {
    if (word == "takes") {
      launch.takes = rest();
      return true;
    }
    auto& extent = word == "grid" ? launch.grid : word == "block" ? launch.block : launch.cluster;
    if (&extent == &launch.cluster && word != "cluster") return false;
    return static_cast<bool>(words_ >> extent[0] >> extent[1] >> extent[2]);
  }

  std::istringstream words_;  // of the line
  // On the heap: codes are views into its bytes.
  std::unique_ptr<KernelFile> file_ = std::make_unique<KernelFile>();
};

}  // namespace nightshift
