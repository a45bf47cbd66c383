#include "evaluator/cuda/launch/artifact_pack.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/cuda/launch/cubin_file.h"
#include "evaluator/process/damaged_artifact.h"

namespace nightshift::evaluator::cuda {
namespace {

// By what modules have besides their code: nothing, launches, launches and remarks.
constexpr std::array<std::string_view, 3> kMagic = {"nightshift cubins 1", "nightshift cubins 2",
                                                    "nightshift cubins 3"};
constexpr std::string_view kCheck = " check ";
constexpr std::size_t kMostModules = 1000;
// Notes, and what debuggers read with its relocations (python/nightshift/machine_code.py as well).
constexpr std::array<std::string_view, 7> kLeftOut = {
    ".note", ".debug", ".rel.debug", ".rela.debug", ".nv_debug", ".rel.nv_debug", ".rela.nv_debug"};
constexpr std::size_t kMostFunctions = 1000;

[[noreturn]] void fail() { throw std::runtime_error("the artifact is damaged"); }

class Lines {
 public:
  explicit Lines(std::string_view bytes) : left_(bytes) {}

  std::string_view line() {
    const std::size_t end = left_.find('\n');
    if (end == std::string_view::npos) fail();
    const std::string_view result = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return result;
  }
  template <class Number>
  Number number() {
    return number_in<Number>(line());
  }
  template <class Number>
  static Number number_in(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) fail();
    return value;
  }
  std::string_view bytes(std::size_t count) {
    if (count > left_.size()) fail();
    const std::string_view result = left_.substr(0, count);
    left_.remove_prefix(count);
    return result;
  }
  bool empty() const { return left_.empty(); }
  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

// The second line: the seconds and, but for earlier versions, the check of all that is beside it.
double checked_seconds(Lines& lines, std::string_view magic) {
  const std::string_view line = lines.line();
  const std::size_t end = line.find(kCheck);
  const std::string_view seconds = line.substr(0, end);
  if (end != std::string_view::npos) {
    std::string rest(magic);
    rest.append("\n").append(seconds).append("\n").append(lines.left());
    if (line.substr(end + kCheck.size()) != base::content_hash(rest)) fail();
  }
  return Lines::number_in<double>(seconds);
}

PackedModule unpack_module(Lines& lines, std::size_t extras) {
  PackedModule module;
  const auto functions = lines.number<std::size_t>();
  const auto bytes = lines.number<std::size_t>();
  const auto launches = extras > 0 ? lines.number<std::size_t>() : 0;
  const auto remarks = extras > 1 ? lines.number<std::size_t>() : 0;
  if (functions > kMostFunctions) fail();
  for (std::size_t i = 0; i < functions; ++i) {
    module.functions.emplace_back(lines.line());
    module.symbols.emplace_back(lines.line());
  }
  module.cubin = lines.bytes(bytes);
  module.launches = lines.bytes(launches);
  module.remarks = lines.bytes(remarks);
  return module;
}

// nvcc names what stands in unnamed namespaces by a hash of where its unit lies.
constexpr std::array<std::string_view, 2> kByPath = {"_GLOBAL__N__", "_INTERNAL_"};
constexpr std::size_t kHashDigits = 8;

std::string without_paths(std::string code) {
  for (const std::string_view mark : kByPath) {
    for (std::size_t at = code.find(mark); at != std::string::npos; at = code.find(mark, at)) {
      at += mark.size();
      const std::size_t end = std::min(at + kHashDigits, code.size());
      for (; at < end && std::isxdigit(static_cast<unsigned char>(code[at])) != 0; ++at) {
        code[at] = '0';
      }
    }
  }
  return code;
}

// What is hashed of an ELF file; nullopt where the bytes are none that makes sense.
std::optional<std::string> code_of(std::string_view elf) {
  const auto sections = sections_of(elf);
  if (!sections) return std::nullopt;
  std::string code;
  for (const ElfSection& section : *sections) {
    if (section.type == SHT_NOTE || section.type == SHT_NULL) continue;
    const bool is_left_out = std::any_of(kLeftOut.begin(), kLeftOut.end(), [&](auto prefix) {
      return section.name.starts_with(prefix);
    });
    if (is_left_out) continue;
    code.append(section.name).push_back('\0');
    code += std::to_string(section.size) + "," + std::to_string(section.flags) + "," +
            std::to_string(section.info) + ";";
    code += section.contents;
  }
  return without_paths(std::move(code));
}

}  // namespace

std::string pack(const ArtifactPack& artifact) {
  std::size_t extras = 0;
  for (const PackedModule& module : artifact.modules) {
    if (!module.launches.empty()) extras = std::max<std::size_t>(extras, 1);
    if (!module.remarks.empty()) extras = 2;
  }
  const std::string head =
      std::string(kMagic.at(extras)) + "\n" + std::to_string(artifact.build_seconds);
  std::string bytes = "\n" + std::to_string(artifact.modules.size()) + "\n";
  for (const PackedModule& module : artifact.modules) {
    bytes +=
        std::to_string(module.functions.size()) + "\n" + std::to_string(module.cubin.size()) + "\n";
    if (extras > 0) bytes += std::to_string(module.launches.size()) + "\n";
    if (extras > 1) bytes += std::to_string(module.remarks.size()) + "\n";
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      bytes += module.functions[i] + "\n" + module.symbols.at(i) + "\n";
    }
    bytes += module.cubin + module.launches + module.remarks;
  }
  return head + std::string(kCheck) + base::content_hash(head + bytes) + bytes;
}

ArtifactPack unpack(std::string_view bytes) {
  Lines lines(bytes);
  const std::string_view magic = lines.line();
  const auto known = std::ranges::find(kMagic, magic);
  if (known == kMagic.end()) fail();
  ArtifactPack artifact;
  artifact.build_seconds = checked_seconds(lines, magic);
  const auto modules = lines.number<std::size_t>();
  if (modules > kMostModules) fail();
  for (std::size_t i = 0; i < modules; ++i) {
    artifact.modules.push_back(
        unpack_module(lines, static_cast<std::size_t>(known - kMagic.begin())));
  }
  if (!lines.empty()) fail();
  return artifact;
}

ArtifactPack load_pack(const std::filesystem::path& artifact) {
  const std::string name = artifact.filename().string();
  const std::string folder = artifact.parent_path().string();
  std::error_code error;
  if (!std::filesystem::is_regular_file(artifact, error)) {
    throw DamagedArtifact(name, "is gone from " + folder);
  }
  try {
    return unpack(base::read_whole_file(artifact.string()));
  } catch (const std::runtime_error&) {
    throw DamagedArtifact(name, "has changed in " + folder);
  }
}

std::string hash_of_code(std::string_view cubin) {
  const auto code = code_of(cubin);
  return base::content_hash(code ? std::string_view(*code) : cubin);
}

}  // namespace nightshift::evaluator::cuda
