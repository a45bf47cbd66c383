#pragma once

#include <string_view>

#include "evaluator/command/figures/figure_unit.h"
#include "evaluator/command/figures/table_header.h"

namespace nightshift::evaluator {

// What a line calls the number that stands behind `before`: "Requests/sec" of "time 5,
// Requests/sec: ", "tokens/s" of "| tokens/s | ". Of "throughput: min 3 max " it is "throughput:
// min".
std::string_view figure_label(std::string_view before);

// A number in its line, and what stands above it.
struct PlacedNumber {
  std::string_view before, behind;
  const TableHeader& header;
  const TableRow& row;
};

// Throws FigureError where the objective is to be small and what is written beside or above the
// number says that it is a rate. What stands nearest decides: a row that is called "latency" is
// none, whatever the table is called.
void expect_no_rate(const PlacedNumber& number, const FigureUnit& wanted);

// The unit that the head of the number's column or the heading above it names, "latency (us)".
search::UnitBeside unit_above(const PlacedNumber& number, const FigureUnit& wanted);

}  // namespace nightshift::evaluator
