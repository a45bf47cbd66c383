#include "search/table/table_decision.h"

#include <algorithm>
#include <cmath>
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
      table.shapes[s].held_out = true;
    } else {
      table.rows[s] = 0;
    }
  }
  table.claim = judge_table(shapes, terms.level, terms.rises);
  if (!table.claim.accepted) std::ranges::fill(table.rows, 0);
}

// What calls of other sizes are answered by: a tree whose every leaf is shown on each of its shapes.
class RuleLearning {
 public:
  RuleLearning(const std::vector<MatrixColumn>& columns, const TableTerms& terms,
               TableQuestions& questions, TableDecision& table)
      : terms_(terms), questions_(questions), table_(table) {
    lessons_.costs = careful_costs(table.estimates);
    lessons_.guards = terms.guards;
    lessons_.choices = table.rows;
    std::ranges::sort(lessons_.choices);
    lessons_.choices.erase(std::unique(lessons_.choices.begin(), lessons_.choices.end()),
                           lessons_.choices.end());
    std::erase(lessons_.choices, 0U);
    for (std::size_t s = 0; s < columns.size(); ++s) {
      lessons_.shapes.push_back(columns[s].shape);
      lessons_.barred.emplace_back(columns[s].cells.size(), false);
      known_.emplace_back(columns[s].cells.size(), false);
      for (const std::size_t c : lessons_.choices) {
        if (columns[s].cells[c].same_as_default) known_[s][c] = true;
      }
      const ShapeVerdict& shape = table.shapes[s];
      if (shape.proposed != 0) note(s, shape.proposed, shape.shown, shape.verdict);
      for (const std::size_t c : lessons_.choices) left_ += known_[s][c] ? 0 : 1;
    }
  }

  void learn() {
    do {
      table_.depths =
          left_out(lessons_, lessons_.choices.empty() ? 0 : terms_.most_depth, terms_.margin);
      table_.depth = depth_of(table_.depths, terms_.slack);
      table_.unseen = learned_rule(lessons_, table_.depth, terms_.margin);
    } while (!is_shown());
  }

 private:
  void note(std::size_t shape, std::size_t candidate, bool shown,
            const std::optional<Verdict>& verdict) {
    known_[shape][candidate] = true;
    double& cost = lessons_.costs[shape][candidate];
    if (shown) {
      cost = std::min(cost, std::log1p(terms_.margin));
      return;
    }
    lessons_.barred[shape][candidate] = true;
    cost = std::max(cost, verdict ? std::max(0.0, std::log(verdict->ratio)) : 0.0);
  }

  // Asks what is not known of the tree's leaves. False where something of it was not shown.
  bool is_shown() {
    bool good = true;
    for (const TreeNode& node : table_.unseen.tree) {
      if (!node.is_leaf || node.choice == 0) continue;
      good = std::ranges::all_of(node.rests_on,
                                 [&](std::size_t s) { return is_shown(s, node.choice); }) &&
             good;
    }
    return good;
  }

  bool is_shown(std::size_t shape, std::size_t candidate) {
    if (known_[shape][candidate]) return !lessons_.barred[shape][candidate];
    const double level = level_in_turn(terms_.level, left_, shown_);
    const std::optional<Verdict> verdict = questions_.no_worse(shape, candidate, level);
    const bool shown = verdict && is_accepted(*verdict);
    shown_ += shown ? 1 : 0;
    table_.leaf_tests.push_back({shape, candidate, shown});
    note(shape, candidate, shown, verdict);
    return shown;
  }

  const TableTerms& terms_;
  TableQuestions& questions_;
  TableDecision& table_;
  TreeLessons lessons_;
  std::vector<std::vector<bool>> known_;  // by shape, then by candidate: nothing is to be asked
  std::size_t left_ = 0;                  // what could be asked, whatever the tree
  std::size_t shown_ = 0;                 // of it
};

}  // namespace

std::string why_not_chosen(const TableDecision& table, std::size_t shape) {
  if (!table.shapes[shape].shown || table.rows[shape] != 0) return "";
  if (table.shapes[shape].held_out) return "the table was not confirmed: " + table.claim.reason;
  return "its choice was not held out; where the budget or a signal ended that, the same command "
         "goes on";
}

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
  RuleLearning(columns, terms, questions, table).learn();
  return table;
}

}  // namespace nightshift::search
