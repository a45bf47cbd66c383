#include "evaluator/cuda/launch/artifact_pack.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

namespace nightshift::evaluator::cuda {
namespace {

using namespace std::string_literals;

ArtifactPack sample() {
  return {1.25, {{{"f", "g<4>"}, {"f", "_Z1gILi4EEvv"}, "\x7f\n\0code"s}, {{}, {}, ""}}};
}

TEST(ArtifactPack, ComesBackAsItWas) {
  const ArtifactPack back = unpack(pack(sample()));
  EXPECT_DOUBLE_EQ(back.build_seconds, 1.25);
  ASSERT_EQ(back.modules.size(), 2u);
  EXPECT_EQ(back.modules[0].functions, sample().modules[0].functions);
  EXPECT_EQ(back.modules[0].symbols, sample().modules[0].symbols);
  EXPECT_EQ(back.modules[0].cubin, sample().modules[0].cubin);
  EXPECT_TRUE(back.modules[1].cubin.empty());
}

TEST(ArtifactPack, LaunchesComeBackAndChangeNothingWhereThereAreNone) {
  ArtifactPack with = sample();
  with.modules[1].launches = "{}\n\0"s;
  const ArtifactPack back = unpack(pack(with));
  EXPECT_EQ(back.modules[0].launches, "");
  EXPECT_EQ(back.modules[0].cubin, with.modules[0].cubin);
  EXPECT_EQ(back.modules[1].launches, with.modules[1].launches);
  EXPECT_EQ(pack(sample()).substr(0, 20), "nightshift cubins 1\n");
  for (std::size_t length = 0; length < pack(with).size(); ++length) {
    EXPECT_THROW(unpack(std::string_view(pack(with)).substr(0, length)), std::runtime_error);
  }
}

TEST(ArtifactPack, RemarksComeBackWithAndWithoutLaunches) {
  for (const std::string& launches : {""s, "{}\n"s}) {
    ArtifactPack with = sample();
    with.modules[0].remarks = "serialized (C7514)";
    with.modules[1].launches = launches;
    const std::string bytes = pack(with);
    const ArtifactPack back = unpack(bytes);
    EXPECT_EQ(bytes.substr(0, 20), "nightshift cubins 3\n");
    EXPECT_EQ(back.modules[0].remarks, "serialized (C7514)");
    EXPECT_EQ(back.modules[0].cubin, with.modules[0].cubin);
    EXPECT_EQ(back.modules[1].remarks, "");
    EXPECT_EQ(back.modules[1].launches, launches);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_THROW(unpack(std::string_view(bytes).substr(0, length)), std::runtime_error);
    }
  }
}

TEST(ArtifactPack, NoPartOfItIsAnArtifact) {
  const std::string bytes = pack(sample());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(unpack(std::string_view(bytes).substr(0, length)), std::runtime_error) << length;
  }
  EXPECT_THROW(unpack(bytes + "x"), std::runtime_error);
  EXPECT_THROW(unpack("nightshift cubins 1\n0\n99999999999\n"), std::runtime_error);
}

struct Section {
  std::string name;
  std::uint32_t type;
  std::string contents;
};

// A 64-bit ELF file of these sections, the names' table last.
std::string elf_of(std::vector<Section> sections) {
  std::string names(1, '\0');
  std::vector<std::uint32_t> name_at;
  sections.push_back({".shstrtab", SHT_STRTAB, ""});
  for (const Section& section : sections) {
    name_at.push_back(static_cast<std::uint32_t>(names.size()));
    names += section.name + '\0';
  }
  sections.back().contents = names;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::string table, contents;
  const std::size_t start = sizeof header + sections.size() * sizeof(Elf64_Shdr);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr s{};
    s.sh_name = name_at[i];
    s.sh_type = sections[i].type;
    s.sh_offset = start + contents.size();
    s.sh_size = sections[i].contents.size();
    contents += sections[i].contents;
    table.append(reinterpret_cast<const char*>(&s), sizeof s);
  }
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + table + contents;
}

TEST(HashOfCode, IsOfWhatTheCodeDoes) {
  const auto with = [](const std::string& code, const std::string& note) {
    return hash_of_code(
        elf_of({{".text.f", SHT_PROGBITS, code}, {".note.nv.tkinfo", SHT_NOTE, note}}));
  };
  EXPECT_EQ(with("code", "-O3 built on Monday"), with("code", "-O3 built on Tuesday"));
  EXPECT_NE(with("code", ""), with("cold", ""));
  EXPECT_NE(hash_of_code(elf_of({{".text.f", SHT_PROGBITS, "code"}})),
            hash_of_code(elf_of({{".text.g", SHT_PROGBITS, "code"}})));
}

TEST(HashOfCode, TakesWhatIsNoElfFileAsItIs) {
  EXPECT_NE(hash_of_code("abc"), hash_of_code("abd"));
  EXPECT_EQ(hash_of_code(""), hash_of_code(""));
  const std::string elf = elf_of({{".text.f", SHT_PROGBITS, "code"}});
  for (std::size_t length = 0; length < elf.size(); ++length) {
    EXPECT_EQ(hash_of_code(std::string_view(elf).substr(0, length)).size(), 32u);
  }
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
