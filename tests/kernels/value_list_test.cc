#include "kernels/value_list.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "kernels/readers/quantity.h"

namespace nightshift::kernels {
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

TEST(ParseDuration, KnowsItsUnits) {
  EXPECT_EQ(parse_duration("90s"), 90.0);
  EXPECT_EQ(parse_duration("10m"), 600.0);
  EXPECT_EQ(parse_duration("1h 30m"), 5400.0);
  EXPECT_EQ(parse_duration("0.5 h"), 1800.0);
  EXPECT_EQ(parse_duration("250ms"), 0.25);
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const char* text :
       {"", " ", "10", "m", "10 x", "-1s", "1e3s", "infs", "nan", "10m!", "1h30"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(ParseBytes, KnowsItsUnits) {
  EXPECT_EQ(parse_bytes("512B"), 512U);
  EXPECT_EQ(parse_bytes("1 KiB"), 1024U);
  EXPECT_EQ(parse_bytes("1.5MiB"), 1536U * 1024);
  EXPECT_EQ(parse_bytes("2GB"), 2'000'000'000U);
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const char* text : {"", "10", "1 gib", "-1B", "99999999TiB", "1MiB 1KiB"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace nightshift::kernels
