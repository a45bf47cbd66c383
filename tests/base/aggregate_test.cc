#include "base/aggregate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nightshift::base {
namespace {

using ::testing::ElementsAre;

enum class Kind : std::uint8_t { kOne, kTwo };
// As our own types are made: from a text, or by somebody else.
class Made {
 public:
  Made() = default;
  explicit Made(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

struct Empty {};
struct Inner {
  int one = 1;
  double two = 2;
};
struct Whole {
  std::string name = "x";
  Inner inner;
  std::optional<Inner> perhaps;
  std::optional<double> number = std::nullopt;
  std::optional<std::string> text;
  std::optional<Made> made;
  std::variant<bool, std::int64_t, double, std::string> value;
  std::optional<std::variant<bool, std::string>> perhaps_value;
  std::vector<std::pair<std::string, Inner>> pairs = {};
  std::array<Made, 3> three;
  Made own;
  Kind kind = Kind::kTwo;
  bool last = false;
};
struct Letters {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z;
};

TEST(Aggregate, MembersAreCounted) {
  EXPECT_EQ(kMembers<Empty>, 0U);
  EXPECT_EQ(kMembers<Inner>, 2U);
  EXPECT_EQ(kMembers<Whole>, 13U);
  EXPECT_EQ(kMembers<Letters>, 26U);
}

TEST(Aggregate, MembersComeInTheOrderOfTheirStruct) {
  Whole whole;
  with_members(whole, [](auto& name, auto& inner, auto&... rest) {
    static_assert(sizeof...(rest) == 11);
    name += "y";
    with_members(inner, [](int& one, double& two) { std::tie(one, two) = std::pair(3, 4.0); });
  });
  EXPECT_EQ(whole.name, "xy");
  EXPECT_EQ(whole.inner.one, 3);
  EXPECT_EQ(whole.inner.two, 4);
}

TEST(Aggregate, ConstantsAreRead) {
  const Inner inner;
  std::vector<double> seen;
  with_members(inner,
               [&](const auto&... each) { (seen.push_back(static_cast<double>(each)), ...); });
  EXPECT_THAT(seen, ElementsAre(1, 2));
  bool called = false;
  const Empty empty;
  with_members(empty, [&](const auto&... each) { called = sizeof...(each) == 0; });
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace nightshift::base
