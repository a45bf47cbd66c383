#include "search/table/size_program.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "packaging/include/nightshift/size_program.h"

namespace nightshift::search {
namespace {

using Values = std::map<std::string, Value, std::less<>>;

Expression::Lookup in(const Values& values) {
  return [&](std::string_view name) -> const Value* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  };
}

const Values kKnown = {
    {"BLOCK", std::int64_t{128}}, {"STORED_BY", std::string("bulk")}, {"SPLIT", std::int64_t{1}}};

std::optional<std::string> program(const std::string& text) {
  return size_program(Expression::parse(text), in(kKnown), {"M", "N", "SM_COUNT"});
}

TEST(SizeProgram, WhatIsKnownIsANumber) {
  EXPECT_EQ(program("BLOCK * 4"), "512");
  EXPECT_EQ(program("2 * 16 if STORED_BY == 'bulk' else M"), "32");
  EXPECT_EQ(program("STORED_BY in ('bulk', 'threads')"), "1");
  EXPECT_EQ(program("1e-5"), "1e-05");
  EXPECT_EQ(program("-3"), "-3");
}

TEST(SizeProgram, WhatIsFreeStays) {
  EXPECT_EQ(program("(M + BLOCK - 1) // BLOCK"), "$M,128,+,1,-,128,//");
  EXPECT_EQ(program("ceil(M / (BLOCK * 2))"), "$M,256,/,ceil");
  EXPECT_EQ(program("max(1, min(M, SM_COUNT * 2))"), "1,$M,$SM_COUNT,2,*,min,max");
  EXPECT_EQ(program("M if SPLIT > 1 else N"), "$N");  // a branch that is not taken
}

// The loaders of packaging/ work out what the expression is.
TEST(SizeProgram, ComesToWhatTheExpressionIs) {
  const char* const texts[] = {
      "M * N",
      "M // 7 + N % 5 - 3",
      "-M // 7",
      "(-M) % 5",
      "ceil(M / 64) * ceil(N / 32)",
      "floor(M / 3) + int(N / 7) + abs(3 - M)",
      "M if M < N else N",
      "1 < M <= N",
      "3 if not M % 2 == 0 else 4",
      "M % 2 == 0 and N % 3 == 0 or M > 100",
      "min(M, N, 50) + max(M, 20)",
      "(M & (M - 1)) == 0",
      "M / N >= 0.5",
      "1 if M == N else 2 if M != 64 else 3",
      "float(M) / 2",
      "0 if N % 8 == 0 else (4 if N % 4 == 0 else 7)",
      "1 if M % 16 == 0 else N // (M % 16)",  // where M % 16 is 0 the other branch divides by it
  };
  for (const char* const text : texts) {
    const auto written = program(text);
    ASSERT_TRUE(written) << text;
    for (const std::int64_t m : {1, 2, 63, 64, 100, 4099}) {
      for (const std::int64_t n : {1, 5, 64, 127, 4096}) {
        const Values sizes = {{"M", m}, {"N", n}};
        const double expected = as_number(Expression::parse(text).evaluate(in(sizes)));
        const KernelNumbers names = {{"M", double(m)}, {"N", double(n)}};
        EXPECT_EQ(SizeProgram::run(*written, names), expected)
            << text << " of " << m << " and " << n << ": " << *written;
      }
    }
  }
}

TEST(SizeProgram, SaysWhatItCannot) {
  EXPECT_EQ(program("M in (1, 2)"), std::nullopt);
  EXPECT_EQ(program("log2(M)"), std::nullopt);
  EXPECT_EQ(program("M ** 2"), std::nullopt);
  EXPECT_EQ(program("sum([M, N])"), std::nullopt);
  EXPECT_EQ(program("2 ** 60 + 1"), std::nullopt);  // no double has it
  EXPECT_EQ(program("'a' if M > 1 else 'b'"), std::nullopt);
  EXPECT_THROW(program("M + UNKNOWN"), ExpressionError);
  EXPECT_THROW(program("BLOCK // 0 + M"), ExpressionError);
}

TEST(SizeProgram, WordsAreExact) {
  for (const double number : {0.0, -1.0, 0x1p53, 0.1, 1e300, 1.5}) {
    EXPECT_EQ(SizeProgram::run(program_word(number), {}), number);
  }
}

TEST(SizeProgram, LoadersRefuseWhatIsNoProgram) {
  for (const char* const text : {"", "+", "1,2", "$M", "1,2,what", "1,if", "1e", "neg", "1,,"}) {
    EXPECT_THROW(SizeProgram::run(text, {}), KernelError) << text;
  }
}

}  // namespace
}  // namespace nightshift::search
