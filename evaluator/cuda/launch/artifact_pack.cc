#include "evaluator/cuda/launch/artifact_pack.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "evaluator/process/content_hash.h"
#include "evaluator/process/damaged_artifact.h"
#include "evaluator/process/file_text.h"

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
    if (line.substr(end + kCheck.size()) != content_hash(rest)) fail();
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

template <class T>
std::optional<T> structure_at(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::optional<std::string_view> range(std::string_view bytes, std::uint64_t at,
                                      std::uint64_t size) {
  if (at > bytes.size() || bytes.size() - at < size) return std::nullopt;
  return bytes.substr(at, size);
}

// What is hashed of an ELF file; nullopt where the bytes are none that makes sense.
std::optional<std::string> code_of(std::string_view elf) {
  const auto header = structure_at<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shnum == 0) {
    return std::nullopt;
  }
  const auto section = [&](std::size_t index) {
    return structure_at<Elf64_Shdr>(elf, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto names = section(header->e_shstrndx);
  if (!names) return std::nullopt;
  std::string code;
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto s = section(i);
    if (!s) return std::nullopt;
    if (s->sh_type == SHT_NOTE || s->sh_type == SHT_NULL) continue;
    const auto name = range(elf, names->sh_offset + s->sh_name, 1);
    if (!name) return std::nullopt;
    const std::string_view rest = elf.substr(names->sh_offset + s->sh_name);
    const std::string_view called = rest.substr(0, rest.find('\0'));
    const bool is_left_out = std::any_of(kLeftOut.begin(), kLeftOut.end(),
                                         [&](auto prefix) { return called.starts_with(prefix); });
    if (is_left_out) continue;
    code.append(called).push_back('\0');
    code += std::to_string(s->sh_size) + "," + std::to_string(s->sh_flags) + "," +
            std::to_string(s->sh_info) + ";";
    if (s->sh_type == SHT_NOBITS) continue;
    const auto contents = range(elf, s->sh_offset, s->sh_size);
    if (!contents) return std::nullopt;
    code += *contents;
  }
  return code;
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
  return head + std::string(kCheck) + content_hash(head + bytes) + bytes;
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
    return unpack(read_whole_file(artifact.string()));
  } catch (const std::runtime_error&) {
    throw DamagedArtifact(name, "has changed in " + folder);
  }
}

std::string hash_of_code(std::string_view cubin) {
  const auto code = code_of(cubin);
  return content_hash(code ? std::string_view(*code) : cubin);
}

}  // namespace nightshift::evaluator::cuda
