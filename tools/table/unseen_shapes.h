#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "search/table/table_rule.h"
#include "tools/table/formats/table_document.h"
#include "tools/table/table_batch.h"

namespace nightshift::tools {

// Shapes between those of a batch, and what a table's rule answers for them.
class UnseenShapes {
 public:
  // `made` makes the study of a shape (with_sizes()). Where it throws ProblemFileError, as sizes
  // that the problem has no configuration for do, the shape is left out; what else it throws is thrown.
  using Made = std::function<TableStudy(const search::Sizes&)>;
  UnseenShapes(std::size_t most, const TableBatch& batch, const Made& made,
               const search::TableRule& rule);

  // A study a shape, for TableMeasuring, with the rule's configurations as candidates.
  const TableBatch& batch() const { return batch_; }
  const std::vector<search::Configuration>& candidates() const { return candidates_; }
  // How many shapes were left out, and why the first of them; empty for none.
  const std::string& left_out() const { return left_out_; }
  // Measures each answer against the default, in a fixed number of pairs, and notes it in the
  // document. What is not reached is left out.
  void judge(search::TableQuestions& questions, TableDocument& document) const;

 private:
  TableBatch batch_;
  std::vector<search::Configuration> candidates_;
  std::vector<std::size_t> answers_;  // by shape
  std::string left_out_;
};

}  // namespace nightshift::tools
