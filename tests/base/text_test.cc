#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace nightshift::base {
namespace {

TEST(Text, LettersAndDigitsAreThoseOfAscii) {
  std::string digits, letters, blanks;
  for (int c = std::numeric_limits<char>::min(); c <= std::numeric_limits<char>::max(); ++c) {
    const char byte = static_cast<char>(c);
    if (is_digit(byte)) digits += byte;
    if (is_letter(byte)) letters += byte;
    if (is_blank(byte)) blanks += byte;
  }
  EXPECT_EQ(digits, "0123456789");
  EXPECT_EQ(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(blanks, "\t\n\r ");
  EXPECT_EQ(in_small_letters("A\u00c4z9_Z"), "a\u00c4z9_z");
}

TEST(Text, IsTrimmedAtBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Text, TheFirstLineHasNoEnd) {
  EXPECT_EQ(first_line("a\nb"), "a");
  EXPECT_EQ(first_line("\nb"), "");
  EXPECT_EQ(first_line("a"), "a");
}

TEST(Text, ListsAreJoined) {
  EXPECT_EQ(joined({}, ", "), "");
  EXPECT_EQ(joined({"a"}, ", "), "a");
  EXPECT_EQ(joined({"", "b", ""}, "-"), "-b-");
  EXPECT_EQ(list_of({}, "or"), "");
  EXPECT_EQ(list_of({"a"}, "or"), "a");
  EXPECT_EQ(list_of({"a", "b"}, "or"), "a or b");
  EXPECT_EQ(list_of({"a", "b", "c"}, "and"), "a, b and c");
  EXPECT_EQ(in_quotes("it's"), "'it's'");
}

}  // namespace
}  // namespace nightshift::base
