#include "problems/value_list.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace nightshift::problems {
namespace {

using search::Value;

TEST(KeyOf, IsEqualForEqualValues) {
  EXPECT_EQ(key_of(Value(true)), key_of(Value(std::int64_t{1})));
  EXPECT_EQ(key_of(Value(std::int64_t{1})), key_of(Value(1.0)));
  EXPECT_EQ(key_of(Value(-0.0)), key_of(Value(std::int64_t{0})));
  EXPECT_NE(key_of(Value(std::string("1"))), key_of(Value(std::int64_t{1})));
  EXPECT_NE(key_of(Value(0.1)), key_of(Value(0.2)));
  EXPECT_NE(key_of(Value(std::int64_t{9007199254740993})), key_of(Value(9007199254740992.0)));
}

TEST(MakeParameter, ATextWithAControlCharacterIsRefused) {
  const auto made = [](const std::string& text) {
    Diagnostics diagnostics("file");
    const auto parameter =
        make_parameter("X", {Value(std::string("a")), Value(text)}, {}, diagnostics);
    EXPECT_EQ(parameter.has_value(), diagnostics.empty());
    return parameter.has_value();
  };
  for (const char control : {'\0', '\1', '\v', '\x1b', '\x7f'}) {
    EXPECT_FALSE(made(std::string("b") + control + "c")) << static_cast<int>(control);
  }
  for (const char* text : {"", " ", "b c", "b\n", "b\tc\r", "\u00b5s", "\u0085"})
    EXPECT_TRUE(made(text)) << text;
}

}  // namespace
}  // namespace nightshift::problems
