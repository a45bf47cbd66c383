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

}  // namespace
}  // namespace nightshift::problems
