#include "search/expression.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace nightshift::search {
namespace {

const std::map<std::string, Value, std::less<>>& parameters() {
  static const std::map<std::string, Value, std::less<>> values = {
      {"x", std::int64_t{32}},
      {"y", std::int64_t{-7}},
      {"half", 0.5},
      {"on", true},
      {"mode", std::string("vectorise")},
      {"zero", std::int64_t{0}}};
  return values;
}

const Value* find(std::string_view name) {
  const auto it = parameters().find(name);
  return it == parameters().end() ? nullptr : &it->second;
}

struct Case {
  const char* text;
  const char* json;  // as Python prints it through json.dumps
};

void expect_all(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(to_json(Expression::parse(c.text).evaluate(find)), c.json) << c.text;
  }
}

TEST(Expression, ArithmeticFollowsPython) {
  expect_all({{"1 + 2 * 3", "7"},
              {"(1 + 2) * 3", "9"},
              {"10 - 3 - 2", "5"},
              {"7 / 2", "3.5"},
              {"8 / 2", "4.0"},
              {"2 ** 3 ** 2", "512"},
              {"-2 ** 2", "-4"},
              {"2 ** -1", "0.5"},
              {"(-8) ** 2", "64"},
              {"- -3", "3"},
              {"+True", "1"},
              {"-True", "-1"},
              {"True + True", "2"},
              {"x * half", "16.0"},
              {"1 - 0.5", "0.5"}});
}

TEST(Expression, BitOperatorsFollowPython) {
  expect_all({{"6 & 3", "2"},
              {"6 | 3", "7"},
              {"6 ^ 3", "5"},
              {"~6", "-7"},
              {"~-1", "0"},
              {"1 << 4", "16"},
              {"-17 >> 2", "-5"},
              {"y & 0xFF", "249"},
              {"y >> 100", "-1"},
              {"x >> 100", "0"},
              {"0 << 1000", "0"},
              {"1 << 62", "4611686018427387904"},
              {"-1 << 63", "-9223372036854775808"},
              {"True & False", "false"},
              {"True | False", "true"},
              {"on ^ True", "false"},
              {"on & 1", "1"},
              {"~True", "-2"},
              {"True << 1", "2"}});
}

TEST(Expression, BitOperatorsBindAsInPython) {
  expect_all({{"1 | 6 & 3", "3"},
              {"1 | 2 ^ 3", "1"},
              {"7 ^ 5 & 4", "3"},
              {"1 << 2 + 1", "8"},
              {"1 + 1 << 2", "8"},
              {"16 >> 1 << 2", "32"},
              {"6 & 1 << 1", "2"},
              {"~2 ** 2", "-5"},
              {"2 ** ~-3", "4"},
              {"-~x", "33"},
              {"~-x", "31"},
              {"4 & 6 == 4", "true"},  // as (4 & 6) == 4; in C it is not
              {"1 | 2 < 3 | 4", "true"},
              {"x & x - 1 == 0", "true"},
              {"not 1 & 2", "true"},
              {"1 & 1 and 2 | 4", "6"},
              {"x & (x - 1) in (0, 1)", "true"},
              {"1 | 2 if x & 32 else 0", "3"},
              {"[1 | 2, 3] == [3, 1 << 1 | 1]", "true"}});
}

TEST(Expression, AShiftBeyond64BitsBecomesADouble) {
  expect_all({{"1 << 63", "9223372036854775808.0"},
              {"3 << 63 == 3 * 2 ** 63", "true"},
              {"1 << 70 > 1 << 69", "true"},
              {"-3 << 62", "-13835058055282163712.0"}});
}

TEST(Expression, FunctionsOfPythonAndItsMath) {
  expect_all({{"round(2.5)", "2"},
              {"round(3.5)", "4"},
              {"round(-2.5)", "-2"},
              {"round(2.4999)", "2"},
              {"round(7)", "7"},
              {"round(2.675, 2)", "2.67"},
              {"round(1e300, 2)", "1e+300"},
              {"round(7, 1)", "7"},
              {"bool(3)", "true"},
              {"bool('')", "false"},
              {"bool([])", "false"},
              {"math.sqrt(16)", "4.0"},
              {"math.log10(1000)", "3.0"},
              {"math.log(8, 2)", "3.0"},
              {"math.trunc(-2.5)", "-2"},
              {"math.pow(2, 3)", "8.0"},
              {"pow(2, 3)", "8"},
              {"gcd(12, -18)", "6"},
              {"gcd()", "0"},
              {"math.lcm(4, 6, 10)", "60"},
              {"lcm(4, 0)", "0"},
              {"len([1, 2, 3])", "3"},
              {"len(range(x))", "32"},
              {"len('h\xc3\xb6')", "2"},
              {"sum([1, 2.5])", "3.5"},
              {"sum([], 7)", "7"},
              {"sum(i for i in range(5))", "10"},
              {"math.prod([2, 3, x])", "192"},
              {"any([0, '', x])", "true"},
              {"any([])", "false"},
              {"all([])", "true"},
              {"all(i < x for i in (1, 2))", "true"},
              {"math.pi > 3.14159", "true"},
              {"x < math.inf", "true"},
              {"math.floor(math.e)", "2"}});
}

TEST(Expression, SetsAreContainers) {
  expect_all({{"x in {16, 32}", "true"},
              {"x not in {16, 32}", "false"},
              {"x in {i * 16 for i in range(3)}", "true"},
              {"mode in {'vectorise',}", "true"}});
}

TEST(Expression, FloorDivisionAndModuloHaveTheSignOfTheDivisor) {
  expect_all({{"7 // 2", "3"},
              {"-7 // 2", "-4"},
              {"7 // -2", "-4"},
              {"-7 // -2", "3"},
              {"7 % 3", "1"},
              {"-7 % 3", "2"},
              {"7 % -3", "-2"},
              {"-7 % -3", "-1"},
              {"y // 2", "-4"},
              {"7.5 // 2", "3.0"},
              {"-7.5 // 2", "-4.0"},
              {"7.5 % 2", "1.5"},
              {"-7.5 % 2", "0.5"},
              {"7.5 % -2", "-0.5"},
              {"5 // -1", "-5"},
              {"5 % -1", "0"},
              {"-6 % 3", "0"}});
}

TEST(Expression, IntegersBeyond64BitsBecomeDoubles) {
  expect_all({{"9223372036854775807 + 1", "9223372036854775808.0"},
              {"3037000500 * 3037000500", "9223372037000249344.0"},
              {"2 ** 62", "4611686018427387904"},
              {"2 ** 64", "18446744073709551616.0"},
              {"(-2) ** 63", "-9223372036854775808"},
              {"1 ** 9223372036854775807", "1"},
              {"(-1) ** 9223372036854775807", "-1"},
              {"0 ** 0", "1"},
              {"(-9223372036854775807 - 1) // -1", "9223372036854775808.0"},
              {"(-9223372036854775807 - 1) % -1", "0"},
              {"abs(-9223372036854775807 - 1) > 0", "true"},
              {"100000000000000000000 > 1", "true"}});
}

TEST(Expression, LiteralsBeyond64BitsAreDoublesWhereThoseAreExact) {
  expect_all({{"-9223372036854775808", "-9223372036854775808"},
              {"-9223372036854775808 // 2", "-4611686018427387904"},
              {"9223372036854775808", "9223372036854775808.0"},
              {"0x8000000000000000 == 2.0 ** 63", "true"},
              {"0x1_0000_0000_0000_0000 == 2.0 ** 64", "true"},
              {"10 ** 400 > 1e308", "true"}});
  for (const char* text : {"9223372036854775809", "18446744073709551617", "0x8000000000000001",
                           "100000000000000000001"}) {
    try {
      Expression::parse(text);
      ADD_FAILURE() << text;
    } catch (const ExpressionError& error) {
      EXPECT_EQ(
          std::string(error.what())
              .find("character 1: the whole number " + std::string(text) + " is beyond 64 bits"),
          0U)
          << error.what();
    }
  }
}

TEST(Expression, ComparisonsChain) {
  expect_all({{"1 < 2 < 3", "true"},
              {"1 < 3 < 2", "false"},
              {"3 > 2 == 2 != 1", "true"},
              {"32 <= x * 4 <= 1024", "true"},
              {"1 == 1.0 == True", "true"},
              {"9007199254740993 == 9007199254740992.0", "false"},
              {"'a' < 'b'", "true"},
              {"mode == 'vectorise'", "true"},
              {"mode == 1", "false"},
              {"mode != 1", "true"},
              {"'1' == 1", "false"}});
}

TEST(Expression, AndOrReturnAnOperandAndStopEarly) {
  expect_all({{"0 or 5", "5"},
              {"3 and 5", "5"},
              {"0 and nobody", "0"},
              {"3 or nobody", "3"},
              {"'' or mode", "\"vectorise\""},
              {"0 or 0.0 or False", "false"},
              {"not 0", "true"},
              {"not not x", "true"},
              {"not 1 == 2", "true"},
              {"1 or 0 and 0", "1"}});
}

TEST(Expression, MembershipInListsTuplesAndTexts) {
  expect_all({{"x in [16, 32]", "true"},
              {"x in (16, 64)", "false"},
              {"x not in (16, 64)", "true"},
              {"x in (32,)", "true"},
              {"x in ()", "false"},
              {"x in range(0, 64, 8)", "true"},
              {"mode in ['scalar', 'vectorise']", "true"},
              {"'vec' in mode", "true"},
              {"1 in [True]", "true"},
              {"(x, on) in [(32, True), (64, False)]", "true"},
              {"x in [2**i for i in range(6)]", "true"},
              {"not x in [1]", "true"}});
}

TEST(Expression, ConditionalAndFunctions) {
  expect_all({{"1 if on else 2", "1"},
              {"1 if zero else 2 if zero else 3", "3"},
              {"nobody if False else 4", "4"},
              {"min(3, 1, 2)", "1"},
              {"max([3, 1, x])", "32"},
              {"min(1, 1.0)", "1"},
              {"max(1, 1.5)", "1.5"},
              {"abs(y)", "7"},
              {"abs(-0.5)", "0.5"},
              {"int(-3.9)", "-3"},
              {"int(on)", "1"},
              {"float(x)", "32.0"},
              {"ceil(0.5)", "1"},
              {"floor(-0.5)", "-1"},
              {"log2(x)", "5.0"},
              {"math.ceil(x / 3)", "11"},
              {"ceil(log2(33))", "6"}});
}

TEST(Expression, LiteralsAsPythonWritesThem) {
  expect_all({{"0x1F", "31"},
              {"0b101", "5"},
              {"0o17", "15"},
              {"1_000", "1000"},
              {"1e3", "1000.0"},
              {".5", "0.5"},
              {"5.", "5.0"},
              {"2.5e-1", "0.25"},
              {"\"it's\"", "\"it's\""},
              {"'a\\'b'", "\"a'b\""},
              {"'a\\qb'", "\"a\\\\qb\""},
              {" 1 +\n\t2 ", "3"}});
}

TEST(Expression, ParametersOfADictionaryAreReadToo) {
  expect_all({{"p[\"x\"] * 2", "64"}, {"p['x'] < 64 and p['on']", "true"}});
  EXPECT_EQ(Expression::parse("p['x'] + y").names(),
            (std::set<std::string, std::less<>>{"x", "y"}));
}

TEST(Expression, NamesAreThoseOfTheParametersOnly) {
  const Expression e = Expression::parse("b % a == 0 and c in [i * a for i in range(b)]");
  EXPECT_EQ(e.names(), (std::set<std::string, std::less<>>{"a", "b", "c"}));
  EXPECT_EQ(e.text(), "b % a == 0 and c in [i * a for i in range(b)]");
}

TEST(Expression, HoldsIsTheTruthOfTheValue) {
  EXPECT_TRUE(Expression::parse("x").holds(find));
  EXPECT_FALSE(Expression::parse("zero").holds(find));
  EXPECT_FALSE(Expression::parse("[]").holds(find));
  EXPECT_TRUE(Expression::parse("[0]").holds(find));
}

TEST(Expression, DivisionByZeroIsFalse) {
  for (const char* text :
       {"x // zero == 1", "x % zero == 0", "1 / zero", "zero ** -1", "x % 0.0"}) {
    EXPECT_FALSE(Expression::parse(text).holds(find)) << text;
    EXPECT_THROW(Expression::parse(text).evaluate(find), ExpressionError) << text;
  }
}

TEST(Expression, ValuesCanBeHandedOverInTheOrderOfTheNames) {
  const Expression e = Expression::parse("b > a");
  const Value small = std::int64_t{1};
  const Value large = std::int64_t{2};
  EXPECT_TRUE(e.holds_for(std::vector<const Value*>{&small, &large}));
  EXPECT_FALSE(e.holds_for(std::vector<const Value*>{&large, &small}));
  EXPECT_THROW(e.holds_for(std::vector<const Value*>{&large, nullptr}), ExpressionError);
}

TEST(Expression, TextsHaveTheEscapesOfPython) {
  const auto text_of = [](const std::string& expression) {
    return std::get<std::string>(
        Expression::parse(expression).evaluate([](std::string_view) { return nullptr; }));
  };
  EXPECT_EQ(text_of(R"('\x62\u0062\142\U00000062')"), "bbbb");
  EXPECT_EQ(text_of(R"('\u00e9\xe9\351')"), "\u00e9\u00e9\u00e9");
  EXPECT_EQ(text_of(R"('\a\b\f\n\r\t\v\\\'\"')"), "\a\b\f\n\r\t\v\\'\"");
  EXPECT_EQ(text_of(R"('\1012\08')"), std::string("A2\0"
                                                  "8",
                                                  4));
  EXPECT_EQ(text_of("'a\\\nb'"), "ab");
  EXPECT_EQ(text_of(R"('\d\.\é')"), R"(\d\.\é)") << "as Python keeps what it does not know";
}

}  // namespace
}  // namespace nightshift::search
