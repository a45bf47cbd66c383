#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "search/table/kept_configurations.h"
#include "search/table/shape_matrix.h"
#include "search/table/table_claims.h"
#include "search/table/unseen_rule.h"

namespace nightshift::search {

// From a matrix to a table that is shown not to be slower than what there was before.
//
//   matrix -> which few are kept -> a choice for each shape -> "no worse than the default?" of each
//   choice, on new pairs -> what was not shown keeps the default -> one hold-out of the whole table
//   on pairs that are new again -> without that, every shape keeps the default -> the tree -> "no
//   worse than the default?" of each leaf's choice on each of its shapes, on new pairs -> a tree
//   without what was not shown, until all of it was
//
// So of candidates that are all equal a table is made with the chance `level` at most, and a shape
// gets a choice that is worse by the margin with the same chance over all shapes together.

struct TableTerms {
  double slack = 0.03;           // what a shape may lose to the best of all candidates
  std::size_t most = 8;          // configurations besides the default
  std::optional<std::size_t> k;  // exactly so many, where they bring anything
  double margin = 0.01;          // what is worse by less than this is no worse; as no_worse() asks
  double level = 0.01;  // of the shapes together, of the hold-out, and of the leaves together
  std::size_t most_depth = 6;               // of the tree
  bool rises = false;                       // AcceptanceSettings::rises
  std::vector<CandidateGuard> guards = {};  // by candidate; empty: none has any
};

// What has to be measured on the way; nullopt: it was not reached.
class TableQuestions {
 public:
  virtual ~TableQuestions() = default;
  // A verdict as of judge_no_worse() at this level.
  virtual std::optional<Verdict> no_worse(std::size_t shape, std::size_t candidate,
                                          double level) = 0;
  // The candidate of each shape in the table that is held out now; 0: the default.
  virtual void begin_hold_out(const std::vector<std::size_t>& /*rows*/) {}
  // ln(default) - ln(candidate) of new pairs, a number of them that was fixed before.
  virtual std::optional<std::vector<double>> hold_out(std::size_t shape, std::size_t candidate) = 0;
};

// What was asked about one shape.
struct ShapeVerdict {
  std::size_t proposed = 0;  // candidate; 0: the default was, and nothing was asked
  double level = 0;
  std::optional<Verdict> verdict;  // absent: not reached
  bool shown = false;              // no worse than the default
  bool held_out = false;           // its choice had pairs in the hold-out
};

// What was asked about a leaf's choice on one of its shapes, whose row has another one.
struct LeafTest {
  std::size_t shape = 0, candidate = 0;
  bool shown = false;  // no worse than the default
};

struct TableDecision {
  MatrixEstimates estimates;              // shrunken
  std::vector<KeptConfigurations> curve;  // by k
  std::size_t k = 0;                      // place in the curve
  std::vector<ShapeVerdict> shapes;
  std::vector<std::size_t> rows;  // the candidate of each shape
  std::vector<LeftOut> depths;
  std::size_t depth = 0;
  std::vector<LeafTest> leaf_tests;
  UnseenRule unseen;
  TableClaim claim;
};

// Why a shape whose choice was shown keeps the default; empty where it does not, or nothing was
// shown.
std::string why_not_chosen(const TableDecision& table, std::size_t shape);

// Without a question: estimates, curve, k, and what each shape is proposed to get.
TableDecision proposed_table(const std::vector<MatrixColumn>& columns, const TableTerms& terms);
// The same, and all that follows; shapes with the most to gain are asked first.
TableDecision decided_table(const std::vector<MatrixColumn>& columns, const TableTerms& terms,
                            TableQuestions& questions);

}  // namespace nightshift::search
