#include "search/table/table_decision.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nightshift::search {
namespace {

std::vector<std::vector<double>> careful_costs(const MatrixEstimates& estimates) {
  std::vector<std::vector<double>> costs;
  for (const std::vector<CellEstimate>& row : estimates) {
    std::vector<double>& own = costs.emplace_back();
    for (const CellEstimate& cell : row) own.push_back(careful_cost(cell));
  }
  return costs;
}

// Those that are proposed something, the largest gain for its weight first.
std::vector<std::size_t> order_of_asking(const std::vector<MatrixColumn>& columns,
                                         const TableDecision& table) {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < columns.size(); ++s) {
    if (table.shapes[s].proposed != 0) order.push_back(s);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t s) {
    return columns[s].shape.weight * table.estimates[s][table.shapes[s].proposed].mean;
  });
  return order;
}

void ask_shapes(const std::vector<MatrixColumn>& columns, const TableTerms& terms,
                TableQuestions& questions, TableDecision& table) {
  const std::vector<std::size_t> order = order_of_asking(columns, table);
  std::size_t shown = 0;
  for (const std::size_t s : order) {
    ShapeVerdict& shape = table.shapes[s];
    shape.level = level_in_turn(terms.level, order.size(), shown);
    shape.verdict = questions.no_worse(s, shape.proposed, shape.level);
    shape.shown = shape.verdict && is_accepted(*shape.verdict);
    shown += shape.shown ? 1 : 0;
    if (shape.shown) table.rows[s] = shape.proposed;
  }
}

void hold_out(const std::vector<MatrixColumn>& columns, const TableTerms& terms,
              TableQuestions& questions, TableDecision& table) {
  std::vector<HoldOutShape> shapes;
  questions.begin_hold_out(table.rows);
  for (std::size_t s = 0; s < columns.size(); ++s) {
    HoldOutShape& own = shapes.emplace_back();
    own.weight = columns[s].shape.weight;
    if (table.rows[s] == 0) continue;
    const auto effects = questions.hold_out(s, table.rows[s]);
    // Without its pairs nothing is claimed of it.
    if (effects && !effects->empty()) {
      own.effects = *effects;
    } else {
      table.rows[s] = 0;
    }
  }
  table.claim = judge_table(shapes, terms.level);
  if (!table.claim.accepted) std::ranges::fill(table.rows, 0);
}

// Where a choice could not be shown to be no worse, no call like it gains by it.
TreeLessons lessons_of(const std::vector<MatrixColumn>& columns, const TableDecision& table) {
  TreeLessons lessons;
  lessons.costs = careful_costs(table.estimates);
  for (std::size_t s = 0; s < columns.size(); ++s) {
    lessons.shapes.push_back(columns[s].shape);
    const ShapeVerdict& shape = table.shapes[s];
    if (shape.proposed == 0 || shape.shown) continue;
    double& cost = lessons.costs[s][shape.proposed];
    cost = std::max(cost, 0.0);
  }
  lessons.choices = table.rows;
  std::ranges::sort(lessons.choices);
  const auto twice = std::ranges::unique(lessons.choices);
  lessons.choices.erase(twice.begin(), twice.end());
  std::erase(lessons.choices, 0U);
  return lessons;
}

}  // namespace

TableDecision proposed_table(const std::vector<MatrixColumn>& columns, const TableTerms& terms) {
  TableDecision table;
  table.estimates = shrunken_estimates(columns);
  ChoiceCosts choice{careful_costs(table.estimates), {}};
  for (const MatrixColumn& column : columns) choice.weights.push_back(column.shape.weight);
  table.curve = curve_of_kept(choice, terms.k.value_or(terms.most), terms.slack);
  table.k = terms.k ? table.curve.size() - 1 : enough_of(table.curve, terms.slack);
  for (const std::size_t c : table.curve[table.k].of_shape) {
    table.shapes.emplace_back().proposed = c;
  }
  table.rows.assign(columns.size(), 0);
  return table;
}

TableDecision decided_table(const std::vector<MatrixColumn>& columns, const TableTerms& terms,
                            TableQuestions& questions) {
  TableDecision table = proposed_table(columns, terms);
  ask_shapes(columns, terms, questions, table);
  hold_out(columns, terms, questions, table);
  const TreeLessons lessons = lessons_of(columns, table);
  table.depths = left_out(lessons, lessons.choices.empty() ? 0 : terms.most_depth, terms.slack);
  table.depth = depth_of(table.depths, terms.slack);
  table.unseen = learned_rule(lessons, table.depth, terms.slack);
  return table;
}

}  // namespace nightshift::search
