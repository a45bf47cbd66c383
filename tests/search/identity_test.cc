#include "search/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = IdentityPart::Kind;

std::vector<std::string> texts(const std::vector<IdentityChange>& changes) {
  std::vector<std::string> all;
  for (const IdentityChange& change : changes) all.push_back(change.text);
  return all;
}

TEST(Identity, EachKindHasANameOfItsOwnAndIsFoundByIt) {
  for (std::size_t i = 0; i < kIdentityKinds; ++i) {
    const IdentityPart part{static_cast<Kind>(i), "a name = with blanks", "value"};
    EXPECT_EQ(part_of(key_of(part), "value"), part);
  }
  EXPECT_EQ(part_of("program", "x"), std::nullopt);
  EXPECT_EQ(part_of("something else", "x"), std::nullopt);
  EXPECT_EQ(part_of("", "x"), std::nullopt);
}

TEST(Identity, WhatIsTheSameIsNoChange) {
  const Identity one = {{Kind::kProgram, "./a", "1"}, {Kind::kCompiler, "c++", "12"}};
  EXPECT_THAT(changes_between(one, one), IsEmpty());
  EXPECT_THAT(changes_between(one, {one[1], one[0]}), IsEmpty());
}

TEST(Identity, WhatOnlyOneOfThemHasIsNoChange) {
  const Identity here = {{Kind::kDriver, "node1", "550"}, {Kind::kProgram, "./a", "1"}};
  const Identity there = {{Kind::kDriver, "node2", "580"}, {Kind::kProgram, "./a", "1"}};
  EXPECT_THAT(changes_between(here, there), IsEmpty());
  EXPECT_THAT(changes_between({}, there), IsEmpty());
}

TEST(Identity, WordsAreToldAsTheyWereAndAreHashesAreNot) {
  const Identity before = {{Kind::kCompiler, "c++", "g++ 12"}, {Kind::kProgram, "./a", "1"}};
  const Identity now = {{Kind::kCompiler, "c++", "g++ 13"}, {Kind::kProgram, "./a", "2"}};
  EXPECT_THAT(
      texts(changes_between(before, now)),
      ElementsAre("the program ./a has changed", "the compiler c++ was g++ 12 and is g++ 13"));
}

TEST(Identity, TheOperatingSystemAloneDoesNotMatter) {
  const Identity before = {{Kind::kSystem, "n", "Linux 6.1"},
                           {Kind::kDeviceSetting, "n boost", "0"}};
  Identity now = {{Kind::kSystem, "n", "Linux 6.2"}, {Kind::kDeviceSetting, "n boost", "0"}};
  EXPECT_FALSE(any_matters(changes_between(before, now)));
  EXPECT_THAT(texts(changes_between(before, now)),
              ElementsAre("the operating system of n was Linux 6.1 and is Linux 6.2"));
  now[1].value = "1";
  const std::vector<IdentityChange> both = changes_between(before, now);
  ASSERT_THAT(texts(both), ElementsAre("n boost was 0 and is 1",
                                       "the operating system of n was Linux 6.1 and is Linux 6.2"));
  EXPECT_TRUE(both[0].matters);
  EXPECT_FALSE(both[1].matters);
}

TEST(Identity, TheFileThatHasChangedSpeaksForTheSourceThatIncludesIt) {
  const Identity before = {
      {Kind::kSource, "/a.cu", "1"}, {Kind::kFile, "/a.cu", "1"}, {Kind::kFile, "/b.h", "1"}};
  Identity now = {
      {Kind::kSource, "/a.cu", "2"}, {Kind::kFile, "/a.cu", "1"}, {Kind::kFile, "/b.h", "2"}};
  EXPECT_THAT(texts(changes_between(before, now)), ElementsAre("/b.h has changed"));
  // One came that is found before another.
  now[2] = {Kind::kFile, "/before/b.h", "3"};
  EXPECT_THAT(texts(changes_between(before, now)), ElementsAre("what /a.cu includes has changed"));
}

}  // namespace
}  // namespace nightshift::search
