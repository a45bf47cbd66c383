#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/configuration.h"
#include "search/table/table_decision.h"

namespace nightshift::search {

// A table as a program asks it: exact rows first, then the rule for calls that nobody measured.
struct TableRow {
  Sizes sizes;
  double weight = 1;
  std::size_t choice = 0;  // among TableRule::configurations
  bool measured = true;    // false: nothing is known of it, as where its default fails
};
struct TableRule {
  std::vector<std::string> names;             // of the sizes
  std::vector<Configuration> configurations;  // the default first
  std::vector<TableRow> rows;
  UnseenRule unseen;  // its candidates are positions among `configurations`
};

// What is left of a decision: the configurations that a row has, in the order of the candidates.
TableRule rule_of(const TableDecision& decision, const std::vector<MatrixColumn>& columns,
                  const std::vector<Configuration>& candidates);
// Of each candidate its place among the rule's configurations; 0 where it was dropped.
std::vector<std::size_t> places_of(const TableDecision& decision, std::size_t candidates);

struct LookedUpCall {
  std::size_t choice = 0;
  bool is_row = false;  // it has a row of its own
  std::size_t row = 0;  // of is_row
  UnseenAnswer unseen;  // else
};
// `sizes` in the order of the rule's names.
LookedUpCall look_up(const TableRule& rule, const Sizes& sizes);
// A sentence: which row or leaf, by which questions, or why the default.
std::string describe(const TableRule& rule, const LookedUpCall& call, const Sizes& sizes);
std::string text_of(const Sizes& sizes);  // "M=1 N=4096"

}  // namespace nightshift::search
