#include "search/value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "search/configuration.h"

namespace nightshift::search {
namespace {

Value whole(std::int64_t n) { return n; }
Value text(const char* t) { return std::string(t); }

TEST(Value, EqualityIsPythons) {
  EXPECT_TRUE(same_value(true, whole(1)));
  EXPECT_TRUE(same_value(whole(1), 1.0));
  EXPECT_TRUE(same_value(false, 0.0));
  EXPECT_FALSE(same_value(whole(1), 1.5));
  EXPECT_FALSE(same_value(whole(1), text("1")));
  EXPECT_TRUE(same_value(text("a"), text("a")));
  EXPECT_FALSE(same_value(text("a"), text("b")));
}

TEST(Value, IntegersBeyondTheMantissaAreComparedExactly) {
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(same_value(whole(odd), static_cast<double>(odd)));
  EXPECT_FALSE(same_value(whole(std::numeric_limits<std::int64_t>::max()), 0x1p63));
  EXPECT_TRUE(same_value(whole(std::numeric_limits<std::int64_t>::min()), -0x1p63));
  EXPECT_FALSE(same_value(whole(0), std::numeric_limits<double>::quiet_NaN()));
}

TEST(Value, TextIsWhatAMacroWants) {
  EXPECT_EQ(to_text(true), "1");
  EXPECT_EQ(to_text(whole(-7)), "-7");
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(1e300), "1e+300");
  EXPECT_EQ(to_text(2.0), "2.0");  // stays a floating constant
  EXPECT_EQ(to_text(text("-O3 \"x\"")), "-O3 \"x\"");
}

TEST(Value, JsonKeepsTheType) {
  EXPECT_EQ(to_json(true), "true");
  EXPECT_EQ(to_json(whole(1)), "1");
  EXPECT_EQ(to_json(1.0), "1.0");
  EXPECT_EQ(to_json(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(to_json(text("a")), "\"a\"");
}

TEST(Value, JsonQuotesControlCharactersAndWhatIsNoUtf8) {
  EXPECT_EQ(json_quoted("a\"b\\c\nd\te\x01"), "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
  EXPECT_EQ(json_quoted("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "\"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  EXPECT_EQ(json_quoted("\xFFx"), "\"\xEF\xBF\xBDx\"");
  EXPECT_EQ(json_quoted("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");      // cut off
  EXPECT_EQ(json_quoted("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");      // overlong
  EXPECT_EQ(json_quoted("\xED\xA0\x80").find('\xED'), std::string::npos);  // surrogate
}

TEST(Value, TextIsNoNumber) {
  EXPECT_EQ(as_number(true), 1);
  EXPECT_EQ(as_number(whole(3)), 3);
  EXPECT_THROW(as_number(text("3")), std::invalid_argument);
}

TEST(Configuration, EmptyOneIsTheBaseline) {
  EXPECT_TRUE(Configuration().is_baseline());
  EXPECT_EQ(Configuration().to_json(), "{}");
}

TEST(Configuration, SetReplacesOrAppends) {
  Configuration c;
  c.set("a", whole(1));
  c.set("b", text("x"));
  c.set("a", 2.5);
  EXPECT_EQ(c.to_json(), R"({"a": 2.5, "b": "x"})");
  ASSERT_NE(c.find("b"), nullptr);
  EXPECT_EQ(c.find("c"), nullptr);
  EXPECT_FALSE(c.is_baseline());
}

TEST(Configuration, EqualityLooksAtValuesAndOrder) {
  const Configuration a({{"x", whole(1)}, {"y", true}});
  EXPECT_EQ(a, Configuration({{"x", 1.0}, {"y", whole(1)}}));
  EXPECT_FALSE(a == Configuration({{"y", true}, {"x", whole(1)}}));
  EXPECT_FALSE(a == Configuration({{"x", whole(1)}}));
}

}  // namespace
}  // namespace nightshift::search
