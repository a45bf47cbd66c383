#pragma once

#include <string_view>
#include <vector>

namespace nightshift::evaluator {

// What lines without numbers say of the numbers below them: the heads of a table's columns, and
// headings. The text that lines are of outlives it.
class TableHeader {
 public:
  // The next line of the output.
  void pass(std::string_view line);
  // The lines that stood together without a number, the last that did; rules under them left out.
  const std::vector<std::string_view>& lines() const { return lines_; }

 private:
  std::vector<std::string_view> lines_;
  bool has_ended_ = false;
};

// A row of numbers, and of each the cells of a header that stand above it.
class TableRow {
 public:
  TableRow(const TableHeader& header, std::string_view row);
  // Of the number at `number` in the row, the topmost first; none where the columns of row and
  // header do not go together.
  std::vector<std::string_view> cells_above(const char* number) const;
  // The first cell of the topmost such header, which may tell of all columns: "Name (time in us)".
  // Empty where the number stands under it.
  std::string_view corner_above(const char* number) const;

 private:
  struct Columns {
    std::vector<std::string_view> heads, fields;  // equally many
  };
  std::vector<Columns> lines_;
};

}  // namespace nightshift::evaluator
