// Lines of numbers alone, as programs print them, and what is read of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/matched_figures.h"

namespace nightshift::evaluator {
namespace {

using search::Direction;
using search::Objective;
using ::testing::HasSubstr;

constexpr const char* kLast = "([0-9.]+)$";
constexpr const char* kRefused = "";

struct Printed {
  const char* what;
  const char* output;
  const char* expression;
  const char* of_time;  // read of an objective of which the problem says nothing; kRefused
  const char* told;     // read of a latency in ms
};

std::string read(const Printed& printed, const Objective& objective, bool is_told = false) {
  FigureUnit unit(objective, is_told);
  try {
    std::string text;
    for (const double value :
         matched_figures(base::BoundedRegex(printed.expression), printed.expression, unit,
                         objective.name, printed.output)) {
      text += (text.empty() ? "" : " ") + std::to_string(value).substr(0, 6);
    }
    return text;
  } catch (const FigureError& e) {
    return e.what();
  }
}

const std::vector<Printed> kPrinted = {
    {"size and time", "1024 0.5", kLast, kRefused, "0.5000"},
    {"size and time, with a tab", "1024\t0.5", kLast, kRefused, "0.5000"},
    {"time and size", "0.5 1024", "^([0-9.]+)", kRefused, "0.5000"},
    {"lat_mem_rd of lmbench", "0.00049 1.178", kLast, kRefused, "1.1780"},
    {"bw_mem of lmbench", "1.00 8543.21", kLast, kRefused, "8543.2"},
    {"rank and time", "0 12.35", kLast, kRefused, "12.350"},
    {"rank and time, with a colon", "0: 12.35", kLast, "12.350", "12.350"},
    {"rank in brackets and time", "[3] 12.35", kLast, kRefused, "12.350"},
    {"place and time", "(1, 2) 0.5", kLast, kRefused, "0.5000"},
    {"iteration and loss", "100 0.6931", kLast, kRefused, "0.6931"},
    {"iteration of all and loss", "100/500 0.6931", kLast, kRefused, "0.6931"},
    {"a share and a time", "10% 0.5", kLast, kRefused, "0.5000"},
    {"a number sign", "#1 0.5", kLast, kRefused, "0.5000"},
    {"time -f '%e %M'", "0.52 10240", "^([0-9.]+)", kRefused, "0.5200"},
    {"data of gnuplot with errors", "64 0.5 0.01", "^64 ([0-9.]+)", kRefused, "0.5000"},
    {"CSV without heads", "16,0.5,3", "^16,([0-9.]+)", kRefused, "0.5000"},
    {"CSV with heads", "n,time,iterations\n16,0.5,3", "^16,([0-9.]+)", "0.5000", "0.5000"},
    {"CSV with a unit", "n,time_us\n16,500", "^16,([0-9.]+)", "0.5000", "0.5000"},
    {"osu_latency", "# Size          Latency (us)\n1                   500.5", "^1 +([0-9.]+)",
     "0.5005", "0.5005"},
    {"a date and a figure", "2024-01-28 0.5", kLast, "0.5000", "0.5000"},
    {"a date with slashes", "2024/01/28 0.5", kLast, "0.5000", "0.5000"},
    {"a day and a time", "2024-01-28 12:30:05 0.5", kLast, "0.5000", "0.5000"},
    {"a day, a time, and a size", "2024-01-28 12:30:05 1024 0.5", kLast, kRefused, "0.5000"},
    {"a date and a size", "2024-01-28 1024 0.5", kLast, kRefused, "0.5000"},
    {"a clock and a size", "12:30:05 1024 0.5", kLast, kRefused, "0.5000"},
    {"a clock with a fraction", "[12:30:05.123] 0.5", kLast, "0.5000", "0.5000"},
    {"a number of three parts", "2024-1-28 0.5", kLast, kRefused, "0.5000"},
    {"a stamp and a figure", "2024-01-28T12:30:05Z 0.5", kLast, "0.5000", "0.5000"},
    {"a clock and a figure", "12:30:05 0.5", kLast, "0.5000", "0.5000"},
    {"a number a line", "0.5\n0.6", "([0-9.]+)", "0.5000 0.6000", "0.5000 0.6000"},
    {"samples in a line", "0.5 0.6 0.7", "([0-9.]+)", "0.5000 0.6000 0.7000",
     "0.5000 0.6000 0.7000"},
    {"samples behind their size", "1024 0.5 0.6", "([0-9.]+)(?: [0-9.]+)?$", kRefused, "0.5000"},
    {"samples of CSV", "0.5,0.6", "([0-9.]+)", "0.5000 0.6000", "0.5000 0.6000"},
    {"size and time with its unit", "1024 0.5 ms", "1024 ([0-9.]+)", "0.5000", "0.5000"},
    {"size and time with a word", "1024 0.5 ok", "1024 ([0-9.]+)", "0.5000", "0.5000"},
};

TEST(BareNumbers, AreReadWhereNothingElseCouldBeMeant) {
  for (const Printed& printed : kPrinted) {
    const std::string found = read(printed, Objective{});
    EXPECT_EQ(read(printed, {"latency", "ms", Direction::kMinimise}), printed.told) << printed.what;
    if (std::string_view(printed.of_time) == kRefused) {
      EXPECT_THAT(found, HasSubstr("several numbers and no word")) << printed.what;
    } else {
      EXPECT_EQ(found, printed.of_time) << printed.what;
    }
  }
}

TEST(BareNumbers, ATimeInMsThatTheProblemNamesIsToldAsAnyOther) {
  for (const Printed& printed : kPrinted)
    EXPECT_EQ(read(printed, Objective{}, true), printed.told) << printed.what;
}

TEST(BareNumbers, ARefusalSaysWhatToWriteIntoTheProblemFile) {
  const std::string words = read(kPrinted.front(), Objective{});
  EXPECT_THAT(words, HasSubstr("the line '1024 0.5'"));
  EXPECT_THAT(words, HasSubstr("[[objective]] name = \"latency\" and unit = \"us\""));
  EXPECT_THAT(words,
              HasSubstr("name = \"bandwidth\", unit = \"MB/s\" and direction = \"maximise\""));
  // What it names is read.
  EXPECT_EQ(read(kPrinted.front(), {"latency", "us", Direction::kMinimise}), "0.5000");
  EXPECT_EQ(read(kPrinted.front(), {"bandwidth", "MB/s", Direction::kMaximise}), "0.5000");
}

}  // namespace
}  // namespace nightshift::evaluator
