#include "tools/text/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/rng.h"
#include "search/value.h"

namespace nightshift::tools {
namespace {

using search::Configuration;
using search::Direction;
using search::Objective;
using search::Value;

TEST(Format, CountsHaveThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

TEST(Format, OneIsSingular) {
  EXPECT_EQ(count_of(1, "trial"), "1 trial");
  EXPECT_EQ(count_of(0, "trial"), "0 trials");
  EXPECT_EQ(count_of(2000, "trial"), "2,000 trials");
}

TEST(Format, DurationsChangeUnits) {
  EXPECT_EQ(format_duration(0.84), "0.8 s");
  EXPECT_EQ(format_duration(9.96), "10 s");
  EXPECT_EQ(format_duration(59.6), "1 min 00 s");
  EXPECT_EQ(format_duration(725), "12 min 05 s");
  EXPECT_EQ(format_duration(11040), "3 h 04 min");
  EXPECT_EQ(format_duration(71.5 * 3600), "71 h 30 min");
  EXPECT_EQ(format_duration(100 * 86400 + 7200), "100 d 02 h");
  EXPECT_EQ(format_duration(-1), "?");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "?");
}

TEST(Format, NumbersHaveFourDigits) {
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(5.08123), "5.081");
  EXPECT_EQ(format_number(0.0123456), "0.01235");
  EXPECT_EQ(format_number(123.456), "123.5");
  EXPECT_EQ(format_number(123456.7), "123457");
  EXPECT_EQ(format_number(1.5e9), "1.500e+09");
  EXPECT_EQ(format_number(-5.08123), "-5.081");
  EXPECT_EQ(format_number(std::nan("")), "unknown");
}

TEST(Format, ValuesCarryTheirUnit) {
  EXPECT_EQ(format_value(5.08123, "ms"), "5.081 ms");
  EXPECT_EQ(format_interval({5, 6.25}, "ms"), "[5.000, 6.250] ms");
}

TEST(Format, ALowerCostIsALowerTime) {
  EXPECT_EQ(format_change(Objective{}, 0.412), "time 58.80 % lower (2.43 times as good)");
  EXPECT_EQ(format_change(Objective{}, 1.25), "time 25.00 % higher (0.80 times as good)");
}

TEST(Format, ALowerCostIsAHigherRate) {
  const Objective rate{"rate", "GB/s", Direction::kMaximise};
  EXPECT_EQ(format_change(Objective{}, 1e300),
            "time 1.000e+302 % higher (1.000e-300 times as good)");
  EXPECT_EQ(format_change(Objective{}, 1e-300), "time 100.0 % lower (1.000e+300 times as good)");
  EXPECT_EQ(format_percent(1e307), "beyond all bounds");
  EXPECT_EQ(format_signed_percent(0.005), "+0.50 %");
  EXPECT_EQ(format_signed_percent(-0.005), "-0.50 %");
  EXPECT_EQ(format_signed_percent(1e300), "+1.000e+302 %");
  EXPECT_EQ(format_multiple(2), "2.00");
  EXPECT_EQ(format_multiple(1e300), "1.000e+300");
  EXPECT_EQ(format_change(rate, 0.5), "rate 100.0 % higher (2.00 times as good)");
  EXPECT_EQ(format_change(rate, 2), "rate 50.00 % lower (0.50 times as good)");
}

TEST(Format, IntervalsShowTheSmallerGainFirst) {
  EXPECT_EQ(format_change_interval(Objective{}, 0.41, {0.4, 0.42}), "[58.00 %, 60.00 %]");
  EXPECT_EQ(format_change_interval(Objective{}, 0.99, {0.95, 1.05}), "[-5.00 %, 5.00 %]");
  const Objective rate{"rate", "GB/s", Direction::kMaximise};
  EXPECT_EQ(format_change_interval(rate, 0.6, {0.5, 0.8}), "[25.00 %, 100.0 %]");
  EXPECT_EQ(format_change_interval(Objective{}, 0.5, {0, std::numeric_limits<double>::infinity()}),
            "[?, ?]");
}

TEST(Format, AnIntervalHasTheSignOfItsFigure) {
  EXPECT_EQ(format_change(Objective{}, 1.5509, {1.5468, 1.555}),
            "time 55.09 % higher (0.64 times as good) [54.68 %, 55.50 %]");
  const Objective rate{"rate", "GB/s", Direction::kMaximise};
  EXPECT_EQ(format_change(rate, 2, {1.6, 2.5}),
            "rate 50.00 % lower (0.50 times as good) "
            "[37.50 %, 60.00 %]");
  EXPECT_EQ(format_change(rate, 2, {0.8, 2.5}, Times::kLeftOut),
            "rate 50.00 % lower [-25.00 %, 60.00 %]");
}

TEST(Format, AnIntervalHoldsItsFigureInOrder) {
  base::Rng rng(3);
  const auto number_at = [](const std::string& text, std::size_t at) {
    return std::stod(text.substr(at));
  };
  for (int i = 0; i < 2000; ++i) {
    Objective objective;
    if (rng.uniform() < 0.5) objective.direction = Direction::kMaximise;
    const double ratio = std::exp(rng.normal());
    const double low = ratio * std::exp(-std::abs(rng.normal()));
    const double high = ratio * std::exp(std::abs(rng.normal()));
    const std::string text = format_change(objective, ratio, {low, high}, Times::kLeftOut);
    const double figure = number_at(text, text.find(' '));
    const std::size_t open = text.find('[');
    EXPECT_GE(figure, 0) << text;
    EXPECT_LE(number_at(text, open + 1), figure + 0.06) << text;
    EXPECT_GE(number_at(text, text.find(',') + 1), figure - 0.06) << text;
  }
}

TEST(Format, AnIntervalSaysItsConfidenceWhereThatIsNotTheUsual) {
  const Objective time;
  EXPECT_EQ(format_change_interval(time, 0.5, {0.45, 0.55, 0.98}), "[45.00 %, 55.00 %] at 98 %");
  EXPECT_EQ(format_change_interval(time, 0.5, {0.45, 0.55}), "[45.00 %, 55.00 %]");
  EXPECT_EQ(format_level(0.01), "1 %");
  EXPECT_EQ(format_level(0.01 / 3), "0.333 %");
  EXPECT_EQ(format_level(1e-5), "0.001 %");
  EXPECT_EQ(format_confidence(0.9), "90 %");
  EXPECT_EQ(format_confidence(0.95), "95 %");
  EXPECT_EQ(format_confidence(1 - 2 * 0.001), "99.8 %");
  EXPECT_EQ(format_confidence(1 - 2 * 0.01 / 12), "99.83 %");
  EXPECT_EQ(format_confidence(1 - 2e-7), "99.99998 %");
}

TEST(Format, NothingIsNeverLessThanNothing) {
  EXPECT_EQ(format_percent(-1e-9), "0.00 %");
  EXPECT_EQ(format_percent(-0.0), "0.00 %");
  EXPECT_EQ(format_percent(-0.0001), "-0.01 %");
  EXPECT_EQ(format_signed_percent(-1e-9), "+0.00 %");
  EXPECT_EQ(format_number(-0.0), "0");
  EXPECT_EQ(format_change_interval(Objective{}, 1.0, {0.99, 1.00000001}), "[0.00 %, 1.00 %]");
}

TEST(Format, NamesAndUnitsReachNoTerminalWithTheirControlCharacters) {
  Objective objective;
  objective.name = "GBps\x1b[35m";
  EXPECT_EQ(format_change(objective, 0.5), "GBps[35m 50.00 % lower (2.00 times as good)");
  EXPECT_EQ(format_figure("a\x1b[1m", 2, "s\x07"), "a[1m 2.000 s");
}

TEST(Format, ARatioOfNothingIsSaidInWords) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double ratio : {0.0, infinite, -infinite, std::nan("")}) {
    EXPECT_EQ(format_change(Objective{}, ratio),
              "time beyond comparison: one of both figures is 0");
  }
}

TEST(Format, ConfigurationsAreOneLine) {
  EXPECT_EQ(format_configuration({}), "the baseline");
  EXPECT_EQ(format_configuration(Configuration({{"TILE", Value(std::int64_t{64})},
                                                {"ON", Value(true)},
                                                {"OPT", Value(std::string("-O3 -g"))},
                                                {"NONE", Value(std::string())}})),
            "TILE=64 ON=1 OPT='-O3 -g' NONE=''");
}

TEST(Format, ControlCharactersNeverReachTheTerminal) {
  EXPECT_EQ(one_line("a\x1b[31mred\r\n\tb\x07 \n"), "a[31mred b");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "31m"),
            "??31m");
  EXPECT_EQ(one_line("caf\xc3\xa9 \xff\xfe"), "caf\xc3\xa9 ??");
  EXPECT_EQ(one_line("\xe2\x82"), "??");
}

// They would show "txt.exe" as "exe.txt", and a number with its digits turned around.
TEST(Format, WhatTurnsTheDirectionOfTextNeverReachesTheTerminal) {
  for (const char* control : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d",
                              "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}) {
    EXPECT_EQ(one_line("a" + std::string(control) + "b"), "a?b");
    EXPECT_EQ(block(std::string(control) + "b", 0), "?b\n");
    EXPECT_EQ(format_configuration(search::Configuration({{"x", std::string(control) + "1"}})),
              "x=?1");
  }
  for (const char* letter :
       {"\u05d0", "\u0627", "\u2029", "\u202f", "\u2065", "\u206a", "\u2010"}) {
    EXPECT_EQ(one_line(letter), letter) << "a letter or a sign, which is shown as it is";
  }
}

TEST(Format, BlocksKeepTheirLines) {
  EXPECT_EQ(block("one\ntwo\x1b\n", 2), "  one\n  two\n");
  EXPECT_EQ(block("", 2), "");
}

TEST(Format, FittingCountsCharactersNotBytes) {
  EXPECT_EQ(fit("abcdef", 6), "abcdef");
  EXPECT_EQ(fit("abcdefg", 6), "abc...");
  EXPECT_EQ(fit("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4), "\xc3\xa9...");
  EXPECT_EQ(fit("abc", 2), "..");
  EXPECT_EQ(fit("abc", 0), "");
}

TEST(Format, TablesAlignTheirColumns) {
  EXPECT_EQ(table({{"a", "bb", "c"}, {"aaa", "", "d"}, {"x"}}, 1),
            " a    bb  c\n aaa      d\n x\n");
  EXPECT_EQ(table({}, 2), "");
}

TEST(Format, WrappingBreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 2, 10), "  one two\n  three\n");
  EXPECT_EQ(wrapped("unbreakable", 0, 4), "unbreakable\n");
  EXPECT_EQ(wrapped("", 2, 10), "");
}

TEST(Format, AChoiceIsQuotedWhereItWouldNotBeSeenAsOne) {
  EXPECT_EQ(format_choice(std::int64_t{64}), "64");
  EXPECT_EQ(format_choice("O3"), "O3");
  EXPECT_EQ(format_choice(""), "''");
  EXPECT_EQ(format_choice("it's"), "\"it's\"");
  EXPECT_EQ(format_choice("-O3 -g"), "'-O3 -g'");
}

TEST(FormatChange, OfADifferenceIsInTheUnitOfTheFigure) {
  search::Objective score{"score", "", search::Direction::kMaximise};
  score.difference_scale = 2;
  EXPECT_EQ(format_change(score, std::exp(-0.25)), "score 0.5000 higher");
  EXPECT_EQ(format_change(score, std::exp(0.25)), "score 0.5000 lower");
  EXPECT_EQ(format_change_interval(score, std::exp(-0.25), {std::exp(-0.5), std::exp(0.1)}),
            "[-0.2000, 1.000]");
}

TEST(Format, AFigureThatIsCalledAsItsUnitIsNotDoubled) {
  EXPECT_EQ(format_figure("time", 5.08123, "ms"), "time 5.081 ms");
  EXPECT_EQ(format_figure("GFLOP/s", 1948, "GFLOP/s"), "1948 GFLOP/s");
  EXPECT_EQ(format_figure("score", 2, ""), "score 2.000");
}

TEST(Folded, ParagraphsAreBrokenAtBlanksAndKeepTheirMargin) {
  const std::string page = paragraph("one two three four", 2) + "five six seven eight\n";
  EXPECT_EQ(folded(page, {11, 100}), "  one two\n  three\n  four\nfive six seven eight\n");
  EXPECT_EQ(folded(page, {96, 96}), "  one two three four\nfive six seven eight\n");
  EXPECT_EQ(folded(page, {96, 9}), "  one two three four\nfive six\nseven\neight\n");
}

TEST(Folded, ARowIsBrokenBetweenItsColumnsAndGoesOnFurtherIn) {
  const std::string page = table({{"baseline", "time 1.4 ms", "on node/cpu:1"}}, 2);
  EXPECT_EQ(folded(page, {30, 30}), "  baseline  time 1.4 ms\n    on node/cpu:1\n");
  EXPECT_EQ(folded(page, {96, 96}), page);
}

TEST(Folded, ACommandStaysWhole) {
  const std::string command = "nightshift report studies/a-long-name --html page.html";
  const std::string page = table({{command, "everything on one page"}}, 2);
  EXPECT_EQ(folded(page, {40, 40}), "  " + command + "\n    everything on one page\n");
}

TEST(Folded, AWordThatIsWiderStaysWhole) {
  EXPECT_EQ(folded("a/very/long/path and more\n", {8, 8}), "a/very/long/path\nand more\n");
  EXPECT_EQ(folded("a/very/long/path\n", {8, 8}), "a/very/long/path\n");
  EXPECT_EQ(folded("    \n\nx", {2, 2}), "    \n\nx");
}

TEST(Folded, InAPipeOnlyParagraphsAre) {
  const std::string row(200, 'x');
  EXPECT_EQ(folded(row + " y\n", {}), row + " y\n");
  EXPECT_EQ(folded(paragraph(row + " y", 0), {}), row + "\ny\n");
}

}  // namespace
}  // namespace nightshift::tools
