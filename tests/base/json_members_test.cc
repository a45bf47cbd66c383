#include "base/json_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nightshift::base {
namespace {

using Json = nlohmann::ordered_json;

enum class Size : std::uint8_t { kSmall, kLarge };
struct Cake {
  std::string name;
  std::vector<std::pair<std::string, std::string>> layers;
  std::optional<double> price;
  double keeps = 0;
  Size size = Size::kSmall;
  int candles = 7;
  friend bool operator==(const Cake&, const Cake&) = default;
};
constexpr auto kCake = json_members(
    member("name", &Cake::name), member("layers", &Cake::layers), member("price", &Cake::price),
    infinite_member("keeps", &Cake::keeps), enumerator_member("size", &Cake::size, Size::kLarge),
    member("candles", &Cake::candles).or_default());

Cake read(const std::string& text) {
  Cake cake;
  read_members(Json::parse(text), kCake, cake);
  return cake;
}

TEST(JsonMembers, StandInTheOrderOfTheirList) {
  const Cake cake{"pie", {{"a", "b"}}, 2.5, 3, Size::kLarge, 1};
  EXPECT_EQ(json_of(cake, kCake).dump(),
            R"({"name":"pie","layers":[["a","b"]],"price":2.5,"keeps":3.0,"size":1,"candles":1})");
  EXPECT_EQ(read(json_of(cake, kCake).dump()), cake);
}

TEST(JsonMembers, NothingAndInfinityAreNull) {
  const Cake cake{"", {}, std::nullopt, std::numeric_limits<double>::infinity()};
  const Json json = json_of(cake, kCake);
  EXPECT_TRUE(json.at("price").is_null());
  EXPECT_TRUE(json.at("keeps").is_null());
  EXPECT_EQ(read(json.dump()), cake);
}

TEST(JsonMembers, WhatMayBeAbsentStaysAsItsStructBegins) {
  const std::string rest = R"("layers":[],"price":null,"keeps":1,"size":0})";
  EXPECT_EQ(read(R"({"name":"x",)" + rest).candles, 7);
  EXPECT_THROW(read("{" + rest), Json::exception);
  EXPECT_THROW(read(R"({"name":3,)" + rest), Json::exception);
}

TEST(JsonMembers, AnEnumeratorThatNobodyKnowsIsTheNearest) {
  const std::string begin = R"({"name":"","layers":[],"price":null,"keeps":1,"size":)";
  EXPECT_EQ(read(begin + "9}").size, Size::kLarge);
  EXPECT_EQ(read(begin + "-1}").size, Size::kSmall);
}

}  // namespace
}  // namespace nightshift::base
