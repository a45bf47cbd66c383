#include "evaluator/cuda/launch/cubin_file.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

namespace nightshift::evaluator::cuda {
namespace {

constexpr std::uint16_t kCudaMachine = 190;
constexpr unsigned char kKernelSymbol = 0x10;  // of a symbol's st_other
constexpr std::string_view kInfoSection = ".nv.info.";

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

// To its NUL; nullopt where it begins behind the end.
std::optional<std::string_view> text_at(std::string_view bytes, std::uint64_t at) {
  if (at >= bytes.size()) return std::nullopt;
  const std::string_view rest = bytes.substr(at);
  return rest.substr(0, rest.find('\0'));
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

// The attributes of a .nv.info section that tell of parameters. Each has a form, a number and two
// bytes, which with the form "sized" are the number of bytes that follow.
std::optional<std::vector<std::uint32_t>> parameters_in(std::string_view info) {
  constexpr char kSized = 4, kParameter = 0x17, kParameterBytes = 0x19;
  constexpr unsigned kSizeShift = 18;  // of the last word, which begins with bank and flags
  std::map<std::uint16_t, std::uint32_t> sizes;
  std::uint16_t bytes = 0;
  while (info.size() >= 4) {
    const char form = info[0], number = info[1];
    const auto value = *structure_at<std::uint16_t>(info, 2);
    info.remove_prefix(4);
    if (number == kParameterBytes && form != kSized) bytes = value;
    if (form != kSized) continue;
    if (value > info.size()) return std::nullopt;
    if (number == kParameter && value >= 12) {
      sizes[*structure_at<std::uint16_t>(info, 4)] =
          *structure_at<std::uint32_t>(info, 8) >> kSizeShift;
    }
    info.remove_prefix(value);
  }
  if (sizes.empty() && bytes > 0) return std::nullopt;
  std::vector<std::uint32_t> parameters;
  for (const auto& [ordinal, size] : sizes) {
    if (ordinal != parameters.size()) return std::nullopt;
    parameters.push_back(size);
  }
  return parameters;
}

std::vector<std::string> kernel_symbols(const std::vector<ElfSection>& sections) {
  std::vector<std::string> symbols;
  for (const ElfSection& section : sections) {
    if (section.type != SHT_SYMTAB || section.link >= sections.size()) continue;
    for (std::uint64_t at = 0; at < section.contents.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = structure_at<Elf64_Sym>(section.contents, at);
      if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
      if ((symbol->st_other & kKernelSymbol) == 0 || symbol->st_shndx == SHN_UNDEF) continue;
      const auto name = text_at(sections[section.link].contents, symbol->st_name);
      if (name && !name->empty()) symbols.emplace_back(*name);
    }
  }
  return symbols;
}

}  // namespace

std::optional<std::vector<ElfSection>> sections_of(std::string_view elf) {
  const auto header = structure_at<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shnum == 0) {
    return std::nullopt;
  }
  const auto at = [&](std::size_t index) {
    return structure_at<Elf64_Shdr>(elf, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto names = at(header->e_shstrndx);
  if (!names) return std::nullopt;
  std::vector<ElfSection> sections;
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto s = at(i);
    if (!s) return std::nullopt;
    const auto name = text_at(elf, names->sh_offset + s->sh_name);
    const bool is_nothing = s->sh_type == SHT_NOBITS || s->sh_type == SHT_NULL;
    const auto contents = is_nothing ? std::string_view() : range(elf, s->sh_offset, s->sh_size);
    if (!name || !contents) return std::nullopt;
    sections.push_back(
        {*name, s->sh_type, s->sh_flags, s->sh_size, s->sh_link, s->sh_info, *contents});
  }
  return sections;
}

std::vector<CubinKernel> kernels_of(std::string_view cubin) {
  const auto header = structure_at<Elf64_Ehdr>(cubin, 0);
  const auto sections = sections_of(cubin);
  std::vector<CubinKernel> kernels;
  if (!sections || header->e_machine != kCudaMachine) return kernels;
  for (std::string& symbol : kernel_symbols(*sections)) {
    CubinKernel kernel;
    kernel.signature = demangled(symbol);
    const auto info = std::ranges::find_if(*sections, [&](const ElfSection& section) {
      return section.name.starts_with(kInfoSection) &&
             section.name.substr(kInfoSection.size()) == symbol;
    });
    if (info != sections->end()) kernel.parameters = parameters_in(info->contents);
    kernel.symbol = std::move(symbol);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::string plain_name(std::string_view signature) {
  std::string name;
  int angles = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (signature.substr(i).starts_with("(anonymous namespace)::")) {
      i += std::string_view("(anonymous namespace)::").size() - 1;
      continue;
    }
    if (c == '<') ++angles;
    if (angles == 0 && c == '(') break;
    if (angles == 0) name += c;
    if (angles == 0 && c == ' ') name.clear();  // what stood before is the result
    if (c == '>') --angles;
  }
  // nvcc has names for unnamed namespaces.
  constexpr std::string_view kUnnamed = "_GLOBAL__N__";
  for (std::size_t at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed)) {
    const std::size_t colons = name.find("::", at);
    if (colons == std::string::npos) break;
    name.erase(at, colons + 2 - at);
  }
  return name;
}

}  // namespace nightshift::evaluator::cuda
