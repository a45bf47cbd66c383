#include "evaluator/counters/binary_size.h"

#include <elf.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

struct Binary {
  bool is_object = false;  // that is still to be linked
  std::uint64_t bytes = 0;
};

class Damaged : public std::runtime_error {
 public:
  explicit Damaged(const fs::path& file)
      : std::runtime_error(file.string() + " is an ELF file that is cut off or damaged") {}
};

// Headers alone are read: the rest may be large.
class File {
 public:
  explicit File(const fs::path& name) : name_(name), stream_(name, std::ios::binary) {
    if (!stream_) throw std::runtime_error(name.string() + " cannot be read");
  }

  const fs::path& name() const { return name_; }
  template <class T>
  bool read(std::uint64_t offset, T& part) {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(&part), sizeof part);
    return stream_.gcount() == sizeof part;
  }
  template <class T>
  T at(std::uint64_t offset) {
    T part{};
    if (!read(offset, part)) throw Damaged(name_);
    return part;
  }

 private:
  fs::path name_;
  std::ifstream stream_;
};

// Sections may be gone, programs run without them; what is loaded is then told by segments.
template <class Header, class Section, class Segment>
Binary sized(File& file) {
  const auto header = file.at<Header>(0);
  Binary binary{header.e_type == ET_REL, 0};
  std::uint64_t sections = header.e_shnum;
  // More of them than the field can say: the first one has their number.
  if (sections == 0 && header.e_shoff != 0) {
    sections = file.at<Section>(header.e_shoff).sh_size;
  }
  for (std::uint64_t i = 0; i < sections; ++i) {
    const auto section = file.at<Section>(header.e_shoff + i * header.e_shentsize);
    const bool is_there = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (is_there && (section.sh_flags & SHF_ALLOC) != 0) binary.bytes += section.sh_size;
  }
  for (std::uint64_t i = 0; sections == 0 && i < header.e_phnum; ++i) {
    const auto segment = file.at<Segment>(header.e_phoff + i * header.e_phentsize);
    if (segment.p_type == PT_LOAD) binary.bytes += segment.p_filesz;
  }
  return binary;
}

// nullopt: no ELF file.
std::optional<Binary> binary_in(const fs::path& name) {
  File file(name);
  std::array<unsigned char, EI_NIDENT> begin{};
  if (!file.read(0, begin) || std::memcmp(begin.data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
  constexpr bool kLittle = std::endian::native == std::endian::little;
  if (begin[EI_DATA] != (kLittle ? ELFDATA2LSB : ELFDATA2MSB)) {
    throw std::runtime_error(name.string() + " is for machines of another byte order");
  }
  if (begin[EI_CLASS] == ELFCLASS32) return sized<Elf32_Ehdr, Elf32_Shdr, Elf32_Phdr>(file);
  return sized<Elf64_Ehdr, Elf64_Shdr, Elf64_Phdr>(file);
}

}  // namespace

std::uint64_t binary_size(const fs::path& artifact) {
  std::uint64_t linked = 0, objects = 0;
  const auto add = [&](const fs::path& file) {
    const auto binary = binary_in(file);
    if (binary) (binary->is_object ? objects : linked) += binary->bytes;
  };
  if (!fs::is_directory(artifact)) {
    add(artifact);
  } else {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::canonical(artifact))) {
      if (entry.is_regular_file() && !entry.is_symlink()) add(entry.path());
    }
  }
  const std::uint64_t bytes = linked > 0 ? linked : objects;
  if (bytes > 0) return bytes;
  throw std::runtime_error(
      "'binary_size': nothing that was built is a program or shared object (ELF): " +
      artifact.string());
}

}  // namespace nightshift::evaluator
