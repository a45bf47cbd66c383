#include "evaluator/counters/binary_size.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file_text.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

struct Section {
  std::uint32_t type = SHT_PROGBITS;
  std::uint64_t flags = SHF_ALLOC, bytes = 0;
};

template <class T>
std::string bytes_of(const T& part) {
  return {reinterpret_cast<const char*>(&part), sizeof part};
}

// A file of headers alone, as what is measured reads no others.
std::string elf(std::uint16_t type, const std::vector<Section>& sections,
                std::uint64_t loaded_by_segment = 0) {
  Elf64_Ehdr header{};
  const unsigned char begin[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
  std::copy(std::begin(begin), std::end(begin), header.e_ident);
  header.e_type = type;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shoff = sections.empty() ? 0 : sizeof header + sizeof(Elf64_Phdr);
  header.e_shnum = static_cast<std::uint16_t>(sections.size());
  header.e_shentsize = sizeof(Elf64_Shdr);
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_filesz = loaded_by_segment;
  std::string file = bytes_of(header) + bytes_of(segment);
  for (const Section& section : sections) {
    Elf64_Shdr told{};
    told.sh_type = section.type;
    told.sh_flags = section.flags;
    told.sh_size = section.bytes;
    file += bytes_of(told);
  }
  return file;
}

class BinarySize : public ::testing::Test {
 protected:
  fs::path place(const std::string& name) const { return fs::path(folder_.path()) / name; }
  fs::path write(const std::string& name, const std::string& bytes) const {
    fs::create_directories(place(name).parent_path());
    base::write_whole_file(place(name).string(), bytes);
    return place(name);
  }
  TemporaryFolder folder_;
};

TEST_F(BinarySize, IsCodeAndDataThatTheFileHolds) {
  const auto file = write("a.so", elf(ET_DYN,
                                      {{SHT_NULL, 0, 9},
                                       {SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 100},
                                       {SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 20},
                                       {SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 5000},
                                       {SHT_PROGBITS, 0, 7000},  // debug information
                                       {SHT_SYMTAB, 0, 800}},
                                      1));
  EXPECT_EQ(binary_size(file), 120U);
}

TEST_F(BinarySize, WithoutSectionsIsWhatIsLoaded) {
  EXPECT_EQ(binary_size(write("stripped", elf(ET_EXEC, {}, 300))), 300U);
}

TEST_F(BinarySize, OfAFolderIsOfItsProgramsAndNotOfWhatTheyWereLinkedFrom) {
  write("kept/main", elf(ET_EXEC, {{SHT_PROGBITS, SHF_ALLOC, 100}}));
  write("kept/lib/part.so.1", elf(ET_DYN, {{SHT_PROGBITS, SHF_ALLOC, 30}}));
  fs::create_symlink("part.so.1", place("kept/lib/part.so"));
  write("kept/main.o", elf(ET_REL, {{SHT_PROGBITS, SHF_ALLOC, 90}}));
  write("kept/data.txt", "no program");
  fs::create_directory_symlink("kept", place("artifact"));
  EXPECT_EQ(binary_size(place("artifact")), 130U);
  fs::remove(place("kept/main"));
  fs::remove_all(place("kept/lib"));
  EXPECT_EQ(binary_size(place("artifact")), 90U) << "objects count where nothing is linked";
}

TEST_F(BinarySize, OfTheKernelsOwnProgramIsWithinItsFile) {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  EXPECT_GT(binary_size(self), 100'000U);
  EXPECT_LT(binary_size(self), fs::file_size(self));
}

TEST_F(BinarySize, WhatIsNoProgramIsAnError) {
  EXPECT_THROW(binary_size(write("script/run.sh", "#!/bin/sh\n").parent_path()),
               std::runtime_error);
  EXPECT_THROW(binary_size(write("empty", "")), std::runtime_error);
  std::string cut = elf(ET_DYN, {{SHT_PROGBITS, SHF_ALLOC, 100}});
  cut.resize(cut.size() - 1);
  EXPECT_THROW(binary_size(write("cut", cut)), std::runtime_error);
  std::string other = elf(ET_DYN, {{SHT_PROGBITS, SHF_ALLOC, 100}});
  other[EI_DATA] = ELFDATA2MSB;
  EXPECT_THROW(binary_size(write("other", other)), std::runtime_error);
}

}  // namespace
}  // namespace nightshift::evaluator
