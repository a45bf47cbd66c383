#include "search/unit_beside.h"

#include <gtest/gtest.h>

#include <string>

namespace nightshift::search {
namespace {

// "us", "?parsecs" of one that we do not know, ">e-05" where the number goes on, or nothing.
std::string text_of(const UnitBeside& beside) {
  if (beside.unit != nullptr) return std::string(beside.unit->name);
  if (!beside.unknown.empty()) return "?" + std::string(beside.unknown);
  return beside.more.empty() ? "" : ">" + std::string(beside.more);
}
std::string behind(std::string_view text, std::size_t matched = 0) {
  return text_of(unit_behind(text, matched));
}
std::string before(std::string_view text) { return text_of(unit_before(text)); }

TEST(UnitBehind, IsReadRightBehindTheNumber) {
  EXPECT_EQ(behind(" us, 3 runs"), "us");
  EXPECT_EQ(behind("ms"), "ms");
  EXPECT_EQ(behind("\t[GB/s]"), "GB/s");
  EXPECT_EQ(behind(" (\u00b5s)"), "us");
  EXPECT_EQ(behind(" (us, best of 5)"), "us");
  EXPECT_EQ(behind("s."), "s");
  EXPECT_EQ(behind(" us/op"), "us");
  EXPECT_EQ(behind(" us/iter (best)"), "us");
  EXPECT_EQ(behind(" us/3 runs"), "us");
  EXPECT_EQ(behind(" us 3 runs"), "us");
  EXPECT_EQ(behind(" ms: done"), "ms");
  EXPECT_EQ(behind(" min"), "min");
  EXPECT_EQ(behind("min"), "min");
  EXPECT_EQ(behind(" min of CPU"), "min");
  EXPECT_EQ(behind("  h"), "h");
  EXPECT_EQ(behind(" GB/second"), "GB/s");
}

TEST(UnitBehind, SignsMayStandBeforeIt) {
  for (const char* text : {" 'us'", "\",\"us\"", ",\"us\"", "-us", ":us", "=us", "_us", " {us}",
                           " `us`", "; \"us\""}) {
    EXPECT_EQ(behind(text), "us") << text;
  }
  EXPECT_EQ(behind(", \"ms\": 7"), "") << "the name of the next one";
  EXPECT_EQ(behind("; ms=7"), "");
  EXPECT_EQ(behind(", us 7"), "");
  EXPECT_EQ(behind(": s"), "") << "may be anything";
  EXPECT_EQ(behind("-us2"), "");
  EXPECT_EQ(behind(" = min 3"), "");
  EXPECT_EQ(behind(" -us"), "");
  EXPECT_EQ(behind(" 'us"), "");
}

TEST(UnitBehind, MarksThatSetTheNumberOffArePassedOver) {
  for (const char* text : {"** us", "` us", "\" us", "</b> us", "</td><td>us</td>", "  # us", "*us",
                           "` us per call"}) {
    EXPECT_EQ(behind(text), "us") << text;
  }
  for (const char* text : {"\" ms=7", "** ms: 7", "**2 ms", "'000 us", "</b> runs", "\" min 3",
                           "\", \"ms\": 7", "<us", "* 3 runs", " # 5 us"}) {
    EXPECT_EQ(behind(text), "") << text;
  }
}

TEST(UnitBehind, ColoursAndBlanksOfTypographyAreBlanks) {
  for (const char* text : {"\x1b[0m us", " \x1b[2mus", " \x1b[1;32m us\x1b[0m", "\u00a0us",
                           " \u2009us", "\u202fus", "\x1b[0m 'us'"}) {
    EXPECT_EQ(behind(text), "us") << text;
  }
  EXPECT_EQ(behind("\x1b[0m"), "");
  EXPECT_EQ(behind("\x1b[0"), "") << "cut off";
}

TEST(UnitBehind, AnErrorMayStandBeforeIt) {
  for (const char* text :
       {" +- 0.1 us", " +/- 0.1 us", " \u00b1 0.1 us", " \u00b10.1us", " (+- 0.1) us",
        " (\u00b1 1e-3) us", "+-0.1 us/op", " (+/- 3) us", " ( \u00b1 3 ) us", " \u00b1 3.0) us",
        " +- .1 us", " [890, 910] us", " (890 - 910) us", " (sd 3.0) us"}) {
    EXPECT_EQ(behind(text), "us") << text;
  }
  EXPECT_EQ(behind(" +- 0.1"), "");
  EXPECT_EQ(behind(" +- 3 runs"), "");
  EXPECT_EQ(behind(" +- us"), "");
  EXPECT_EQ(behind(" (3 ms in all) us"), "") << "of another number";
  EXPECT_EQ(behind(" (best of 5) done"), "");
  EXPECT_EQ(behind(" (a) us"), "") << "a list of names";
}

TEST(UnitBehind, AnErrorMayBeAShare) {
  for (const char* text : {" +- 1% us", " \u00b1 1 % us", " (\u00b1 1%) us", "\u00b11% us"}) {
    EXPECT_EQ(behind(text), "us") << text;
  }
  EXPECT_EQ(behind(" \u00b1 1%"), "");
}

TEST(UnitBehind, APowerBehindABlankIsOfTheNumber) {
  EXPECT_EQ(behind(" e-3 s"), ">e-3");
  EXPECT_EQ(behind(" E6 FLOP/s"), ">E6");
  EXPECT_EQ(behind(" * 1e-6 s"), ">* 1e-6");
  EXPECT_EQ(behind(" x 10^-6 s"), ">x 10");
  EXPECT_EQ(behind(" \u00d7 10**-6 s"), ">\u00d7 10");
  EXPECT_EQ(behind(" x 3 runs"), "") << "so often";
  EXPECT_EQ(behind(" * 3 runs"), "");
  EXPECT_EQ(behind(" e3x"), "");
}

TEST(UnitBehind, PerOneOperationIsThatInWordsAsWell) {
  for (const char* text : {" us per iteration", "us per op", " us per call, 3 runs"}) {
    const UnitBeside beside = unit_behind(text);
    EXPECT_EQ(text_of(beside), "us") << text;
    EXPECT_TRUE(beside.of_one) << text;
  }
  EXPECT_EQ(behind(" GB per second"), "GB/s");
  EXPECT_FALSE(unit_behind(" us per parsec").of_one);
  EXPECT_EQ(text_of(UnitBeside::of_word(" us per iteration ")), "us");
  EXPECT_TRUE(UnitBeside::of_word("us per iteration").of_one);
  EXPECT_EQ(text_of(UnitBeside::of_word("us per iteration done")), "?us per iteration done");
}

TEST(UnitBehind, OfManyOperationsItHasTheirCount) {
  const auto count = [](std::string_view text) { return unit_behind(text).count; };
  for (const char* text : {" ms/100 iterations", "ms/100 iterations", " ms / 100 runs",
                           " ms per 100 calls", " ms/1e2 ops"}) {
    EXPECT_EQ(count(text), 100) << text;
  }
  EXPECT_EQ(count(" ms/1k iterations"), 1000);
  EXPECT_EQ(count(" ms/1,000 iterations"), 1000);
  EXPECT_EQ(count(" ms/2M steps"), 2e6);
  EXPECT_EQ(UnitBeside::of_word("ms/100 iterations").count, 100);
  EXPECT_TRUE(unit_behind(" ms/100 iterations").of_one);
  for (const char* text : {" ms/iteration", " ms/3", " ms/3 ms", " ms/0 runs", " ms/3 parsecs",
                           " ms 100 iterations", " ms"}) {
    EXPECT_EQ(count(text), 1) << text;
  }
}

TEST(UnitBehind, MayBeAFieldOfItsOwn) {
  for (const char* text : {", us", ",us", ", us\r", ", us, 3", "; us;", " , us"}) {
    EXPECT_EQ(behind(text), "us") << text;
  }
  for (const char* text : {", us = 3", ", us 3", ", us: 3", ", s", ", min", ", parsecs", ", ,us",
                           ", us and more", ",", ", "}) {
    EXPECT_EQ(behind(text), "") << text;
  }
}

TEST(UnitBehind, ACellMayHaveIt) {
  for (const char* text : {" | us |", "|us|", " | us", " | us \r", " | us | 3 |",
                           " \u2502 us \u2502", "\u2502us\u2502"}) {
    EXPECT_EQ(behind(text), "us") << text;
  }
  EXPECT_EQ(behind(" | s |"), "s");
  EXPECT_EQ(behind(" | tok/s |"), "?tok/s");
  for (const char* text : {" | GPU |", " | min |", " | 3 |", " | us 3 |", " | us: 3 |", " |",
                           "||us|", " | m |", " | |", " \u2502 us |"}) {
    EXPECT_EQ(behind(text), "") << text;
  }
}

TEST(UnitBehind, IsOfOneOperationOrOfAll) {
  EXPECT_TRUE(unit_behind(" us/op").of_one);
  EXPECT_TRUE(unit_behind(" (ns/iter)").of_one);
  EXPECT_TRUE(unit_behind("us/call").of_one);
  EXPECT_TRUE(unit_before("time [us/op]: ").of_one);
  EXPECT_FALSE(unit_behind(" us").of_one);
  EXPECT_FALSE(unit_behind(" GB/s").of_one);
  EXPECT_FALSE(unit_behind(" parsecs/op").of_one);
}

TEST(UnitBehind, WordsOfASentenceAreNone) {
  for (const char* text : {"",
                           " ",
                           " runs of 3 ms",
                           " iterations done",
                           " (best of 5)",
                           " (min)",
                           " [3]",
                           " of 5 ms",
                           " a second",
                           " I think",
                           ": ms",
                           " - ms",
                           " ms2",
                           " us_total",
                           "/3",
                           "/ 3",
                           " / 3",
                           " x 4 ms",
                           " speedup",
                           " ok",
                           " parameters",
                           " real 0.2 user",
                           ")",
                           "\" of ms",
                           " and/or",
                           " pass/fail",
                           " \u00b1 0.2"}) {
    EXPECT_EQ(behind(text), "") << text;
  }
}

TEST(UnitBehind, NamesOfTheNextNumberAreNone) {
  EXPECT_EQ(behind(" min 3 max 9"), "");
  EXPECT_EQ(behind(" min=3"), "");
  EXPECT_EQ(behind(" min: 3"), "");
  EXPECT_EQ(behind(" n 4 k 5"), "");
  EXPECT_EQ(behind(" h 4 w 5"), "");
  EXPECT_EQ(behind(" k=5"), "");
  EXPECT_EQ(behind(" cycles=5"), "");
}

TEST(UnitBehind, WhatLooksLikeAUnitAndIsNoneThatWeKnow) {
  EXPECT_EQ(behind(" parsecs"), "?parsecs");
  EXPECT_EQ(behind(" fortnights."), "?fortnights");
  EXPECT_EQ(behind(" US"), "?US");
  EXPECT_EQ(behind(" Mb"), "?Mb");
  EXPECT_EQ(behind(" m"), "?m");
  EXPECT_EQ(behind(" k"), "?k");
  EXPECT_EQ(behind(" (US)"), "?US");
  EXPECT_EQ(behind(" [cycles]"), "?cycles");
  EXPECT_EQ(behind(" Mcycles"), "?Mcycles");
  EXPECT_EQ(behind(" us/parsec"), "?us/parsec");
  EXPECT_EQ(behind(" tok/s"), "?tok/s");
  EXPECT_EQ(behind(" Gigaseconds"), "?Gigaseconds");
  EXPECT_EQ(behind(" \u00b5parsec"), "?\u00b5parsec");
  EXPECT_EQ(behind(" %"), "?%");
  EXPECT_EQ(behind(" x"), "?x");
}

TEST(UnitBehind, WhateverHangsOnTheNumberIsMeantAsOne) {
  EXPECT_EQ(behind("m"), "?m");
  EXPECT_EQ(behind("1m30s"), ">1");
  EXPECT_EQ(behind("m30s"), "?m30s");
  EXPECT_EQ(behind("min30s"), "?min30s");
  EXPECT_EQ(behind("ms2"), "?ms2");
  EXPECT_EQ(behind("ms_total"), "?ms_total");
  EXPECT_EQ(behind("widgets, 3"), "?widgets");
  EXPECT_EQ(behind("US"), "?US");
  EXPECT_EQ(behind("x"), "?x");
  EXPECT_EQ(behind("/s"), "?/s");
}

TEST(UnitBehind, AskedForAWordThatLooksLikeNoUnitIsAName) {
  EXPECT_EQ(behind("user 0.01system", 4), "");
  EXPECT_EQ(behind("x3", 2), "");
  EXPECT_EQ(behind("m30s", 4), "?m30s");
  EXPECT_EQ(behind("US", 2), "?US");
  EXPECT_EQ(behind(" parsecs", 8), "?parsecs");
}

TEST(UnitBehind, ANumberThatGoesOnIsNotOver) {
  EXPECT_EQ(behind("e-05 s"), ">e-05");
  EXPECT_EQ(behind("E3"), ">E3");
  EXPECT_EQ(behind(".5 ms"), ">.5");
  EXPECT_EQ(behind("7 ms"), ">7");
  EXPECT_EQ(behind(":30"), ">:30");
  EXPECT_EQ(behind(".5 ms", 2), "ms") << "it is asked for, and cut off at will";
  EXPECT_EQ(behind(". Then"), "");
  EXPECT_EQ(behind(": 30"), "");
  EXPECT_EQ(behind(" min 30 s"), ">min 30 s");
  EXPECT_EQ(behind("h 30m"), ">h 30m");
  EXPECT_EQ(behind(" hours 30 minutes"), ">hours 30 minutes");
  EXPECT_EQ(behind(" ms  3 us"), "ms") << "two columns";
}

TEST(UnitBefore, StandsRightBeforeTheNumber) {
  EXPECT_EQ(before("time (ms): "), "ms");
  EXPECT_EQ(before("time_us="), "us");
  EXPECT_EQ(before("elapsed[s] = "), "s");
  EXPECT_EQ(before("\"seconds\": "), "s");
  EXPECT_EQ(before("time (us/op): "), "us");
  for (const char* text : {"", "time: ", "s = ", "B: ", "min=", "time (min): ", "ms per run: ",
                           "items: ", "time (best): ", "cycles: ", "(of 3 cycles): "}) {
    EXPECT_EQ(before(text), "") << text;
  }
}

TEST(UnitBefore, InBracketsOneThatWeDoNotKnowIsMeant) {
  EXPECT_EQ(before("time (US): "), "?US");
  EXPECT_EQ(before("time [parsecs] = "), "?parsecs");
  EXPECT_EQ(before("time (k): "), "?k");
}

TEST(UnitBehind, ThatIsScaledIsNone) {
  for (const char* text :
       {" s^-1", " ms*ms", " ms/1000", " us x1", " us x1000", " us \u00d7 10", "ms/100"}) {
    EXPECT_EQ(behind(text).substr(0, 1), ">") << text;
  }
  for (const char* text : {" ms\u00b2", " s\u207b\u00b9", " ms\u00b7W", "ms\u00b2"}) {
    EXPECT_EQ(behind(text).substr(0, 1), "?") << text;
  }
  EXPECT_EQ(behind(" us*"), "us") << "emphasis";
  EXPECT_EQ(behind(" us x86_64"), "us");
  EXPECT_EQ(behind(" us, x4"), "us");
  EXPECT_EQ(behind(" ms / GB"), "ms");
}

TEST(UnitBehind, MayBePerPowersOfTenInWords) {
  const auto count = [](std::string_view text) { return unit_behind(text).count; };
  EXPECT_EQ(count(" s per million calls"), 1e6);
  EXPECT_EQ(count(" ms per thousand iterations"), 1e3);
  EXPECT_EQ(count(" ms per 10 million ops"), 1e7);
  EXPECT_EQ(count(" s / billion lookups"), 1e9);
  EXPECT_EQ(behind(" s/billion lookups"), "?s/billion");
  EXPECT_EQ(behind(" ms per 1000").substr(0, 1), ">") << "of what nobody says";
  EXPECT_EQ(behind(" ms per million").substr(0, 1), ">");
  EXPECT_EQ(behind(" ms per step"), "ms");
}

TEST(UnitBehind, ThatHasAFactorIsNoneThatWeKnow) {
  EXPECT_EQ(behind(" (1e-6 s)"), "?1e-6 s");
  EXPECT_EQ(behind(" [10^-6 s]"), "?10^-6 s");
  EXPECT_EQ(behind(" (x10 us)"), "?x10 us");
  EXPECT_EQ(behind(" (100 ns units)"), "?100 ns units");
  EXPECT_EQ(behind(" (1.2 s)"), "") << "another number";
}

TEST(UnitBefore, WithAFactorIsNoneThatWeKnow) {
  EXPECT_EQ(before("took (1e-6 s): "), "?1e-6 s");
  EXPECT_EQ(before("took [100 ns] = "), "?100 ns");
  EXPECT_EQ(before("took (x10 us): "), "?x10 us");
  EXPECT_EQ(before("took (1 us): "), "us");
  EXPECT_EQ(before("took (best of 5, us): "), "us");
}

TEST(UnitBehind, MayBeWrittenInOtherCodePages) {
  EXPECT_EQ(behind(" \xb5s"), "us") << "Latin-1";
  EXPECT_EQ(behind("\xb5s, 3 runs"), "us");
  EXPECT_EQ(behind(" \xe6s"), "us") << "code page 437";
  EXPECT_EQ(behind(" \xb1 3 \xb5s"), "us");
  EXPECT_EQ(behind(" \xb5J"), "uJ");
}

TEST(UnitBesideOfWord, TakesAnyWord) {
  EXPECT_EQ(text_of(UnitBeside::of_word(" us \r")), "us");
  EXPECT_EQ(text_of(UnitBeside::of_word("runs")), "?runs");
  EXPECT_EQ(text_of(UnitBeside::of_word("  ")), "");
}

TEST(FindUnitInAnyCase, FindsTheOneThatItWouldBe) {
  EXPECT_EQ(find_unit_in_any_case("kib")->name, "KiB");
  EXPECT_EQ(find_unit_in_any_case("MHZ")->name, "MHz");
  EXPECT_EQ(find_unit_in_any_case("gb/s")->name, "GB/s");
  EXPECT_EQ(find_unit_in_any_case("kflop/s")->name, "KFLOP/s");
  EXPECT_EQ(find_unit_in_any_case("Us")->name, "us");
  EXPECT_EQ(find_unit_in_any_case("furlong"), nullptr);
}

}  // namespace
}  // namespace nightshift::search
