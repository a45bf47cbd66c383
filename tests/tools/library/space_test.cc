#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "packaging/include/nightshift/tuner.h"
#include "tools/library/space_parts.h"

namespace nightshift {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::int64_t whole(std::int64_t n) { return n; }

Space tiles() {
  return Space({{"tile", {whole(8), whole(16), whole(32)}},
                {"unroll", {whole(1), whole(2)}},
                {"share", {0.5, 2.0}},
                {"order", {std::string("rows"), std::string("col\"umns")}},
                {"fused", {false, true}}},
               {"tile * unroll <= 32", "not (fused and order == 'rows')"});
}

TEST(LibrarySpace, CountsWhatSatisfiesTheConstraints) {
  EXPECT_EQ(tiles().size(), 5 * 2 * 3);  // tile and unroll; share; order and fused
  EXPECT_EQ(tiles().defaults().at("tile"), Value(whole(8)));
  EXPECT_EQ(tiles().constraints().size(), 2u);
}

TEST(LibrarySpace, KnowsWhatIsInIt) {
  Configuration c = tiles().defaults();
  EXPECT_TRUE(tiles().contains(c));
  c["fused"] = true;
  EXPECT_FALSE(tiles().contains(c));
  c["order"] = std::string("col\"umns");
  EXPECT_TRUE(tiles().contains(c));
  c["tile"] = 16.0;  // numbers are equal as in Python
  EXPECT_TRUE(tiles().contains(c));
  c["tile"] = whole(7);
  EXPECT_FALSE(tiles().contains(c));
}

TEST(LibrarySpace, SaysWhatIsMissingOrUnknown) {
  Configuration c = tiles().defaults();
  c.erase("tile");
  EXPECT_THAT([&] { tiles().contains(c); }, ThrowsMessage<Error>(HasSubstr("does not say tile")));
  c = tiles().defaults();
  c["tyle"] = whole(8);
  EXPECT_THAT([&] { tiles().contains(c); }, ThrowsMessage<Error>(HasSubstr("no parameter tyle")));
}

TEST(LibrarySpace, RefusesWhatIsNone) {
  const auto space = [](std::vector<Value> tiles, std::vector<std::string> constraints) {
    return Space(std::vector<Parameter>{{"tile", std::move(tiles)}}, std::move(constraints));
  };
  const std::vector<Value> one = {whole(1)};
  EXPECT_THAT([&] { space({}, {}); }, ThrowsMessage<Error>(HasSubstr("tile")));
  EXPECT_THAT([&] { space(one, {"tyle > 0"}); }, ThrowsMessage<Error>(HasSubstr("tyle")));
  EXPECT_THAT([&] { space(one, {"tile > 1"}); }, ThrowsMessage<Error>(HasSubstr("tile > 1")));
  const std::vector<Value> infinite = {std::numeric_limits<double>::infinity()};
  EXPECT_THAT([&] { space(infinite, {}); }, ThrowsMessage<Error>(HasSubstr("not finite")));
}

TEST(LibrarySpace, DoublesStayDoubles) {
  EXPECT_EQ(toml_value(2.0), "2.0");
  EXPECT_EQ(toml_value(1e300), "1e+300");
  EXPECT_EQ(toml_value(whole(2)), "2");
  EXPECT_EQ(toml_value(true), "true");
  EXPECT_EQ(toml_value(std::string("a\"b\n")), R"("a\"b\n")");
}

}  // namespace
}  // namespace nightshift
