#include "evaluator/command/figures/number_list.h"

#include <gtest/gtest.h>

#include <string>

namespace nightshift::evaluator {
namespace {

// The unit that the first of several numbers has, before `behind`.
std::string read(search::UnitBeside (*unit_of)(std::string_view, const FigureUnit&),
                 std::string_view behind, const std::string& unit = "ms") {
  const FigureUnit wanted(search::Objective{"figure", unit, search::Direction::kMinimise});
  const search::UnitBeside found = unit_of(behind, wanted);
  return found.unit != nullptr ? std::string(found.unit->name) : "none";
}

TEST(UnitOfList, IsThatOfItsLastNumber) {
  for (const char* behind : {", 7, 9 us", "; 7 us", " , 7 , 9us"}) {
    EXPECT_EQ(read(unit_of_list, behind), "us") << behind;
    EXPECT_EQ(read(unit_of_list, behind, ""), "us") << behind;
  }
  for (const char* behind : {",7,9 us", ", 7, 9", ", 7, x us", " 7 us", ", 7 GB, 9 us"}) {
    EXPECT_EQ(read(unit_of_list, behind), "none") << behind;
  }
}

TEST(UnitOfRow, IsThatOfTheNextNumberThatHasOne) {
  for (const char* behind :
       {" 950 1100 us", "\t950\t1000 us", " | 950 | 1000 us", " -> 1000 us", " vs 1000 us",
        " vs. 1000 us", " -10/+20 us", " sd=20 us", " std: 20 us", " \u2192 1000 us",
        "/950/1000 us", " \u2502 950 us", ", 950, 1000 us", " \xb1 20 us", " 950 1000 | us |"}) {
    EXPECT_EQ(read(unit_of_row, behind), "us") << behind;
    EXPECT_EQ(read(unit_of_row, behind, ""), "none") << "it may count something: " << behind;
  }
  for (const char* behind : {"", " 950 1100", " mean 950 us", " 5 runs 950 us", " 950 GB",
                             ",950,us", ",950 us", " | x | 950 us", " 5 min=3 us"}) {
    EXPECT_EQ(read(unit_of_row, behind), "none") << behind;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
