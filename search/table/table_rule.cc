#include "search/table/table_rule.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nightshift::search {
namespace {

std::string whole(double number) {
  return std::to_string(static_cast<std::int64_t>(std::floor(number)));
}

bool is_yes_or_no(const ShapeFeature& feature) {
  return feature.kind == ShapeFeature::Kind::kDivisible ||
         feature.kind == ShapeFeature::Kind::kPowerOfTwo;
}

// "M <= 64, N % 16 == 0" on the way to a leaf.
std::string path_to(const TableRule& rule, const Sizes& sizes) {
  std::string path;
  std::size_t at = 0;
  while (!rule.unseen.tree[at].is_leaf) {
    const TreeNode& node = rule.unseen.tree[at];
    const bool low = value_of(node.feature, sizes) <= node.threshold;
    const std::string asked = describe(node.feature, rule.names);
    path += path.empty() ? "" : ", ";
    if (is_yes_or_no(node.feature)) {
      path += (low ? "not " : "") + asked;
    } else {
      path += asked + (low ? " <= " : " > ") + whole(node.threshold);
    }
    at = low ? node.low : node.high;
  }
  return path;
}

std::string range_of(const TableRule& rule, std::size_t size) {
  const SizeRange& range = rule.unseen.ranges[size];
  return std::to_string(range.least) + " to " + std::to_string(range.most);
}

}  // namespace

std::vector<std::size_t> places_of(const TableDecision& decision, std::size_t candidates) {
  std::vector<std::size_t> places(candidates, 0);
  const std::set<std::size_t> used(decision.rows.begin(), decision.rows.end());
  std::size_t place = 0;
  for (const std::size_t c : used) {
    if (c != 0) places[c] = ++place;
  }
  return places;
}

TableRule rule_of(const TableDecision& decision, const std::vector<MatrixColumn>& columns,
                  const std::vector<Configuration>& candidates) {
  TableRule rule;
  const std::vector<std::size_t> places = places_of(decision, candidates.size());
  rule.configurations.emplace_back();
  rule.unseen = decision.unseen;
  rule.unseen.divisors.clear();
  rule.unseen.conditions.clear();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (c != 0 && places[c] == 0) continue;
    if (c != 0) rule.configurations.push_back(candidates[c]);
    if (c < decision.unseen.divisors.size()) {
      rule.unseen.divisors.push_back(decision.unseen.divisors[c]);
    }
    rule.unseen.conditions.push_back(decision.unseen.conditions_of(c));
  }
  for (TreeNode& node : rule.unseen.tree) node.choice = places[node.choice];
  for (std::size_t s = 0; s < columns.size(); ++s) {
    const TableShape& shape = columns[s].shape;
    rule.rows.push_back({shape.sizes, shape.weight, places[decision.rows[s]]});
  }
  if (!columns.empty()) {
    for (const auto& [name, size] : columns.front().shape.sizes) rule.names.push_back(name);
  }
  return rule;
}

LookedUpCall look_up(const TableRule& rule, const Sizes& sizes) {
  LookedUpCall call;
  const auto row = std::ranges::find(rule.rows, sizes, &TableRow::sizes);
  if (row != rule.rows.end()) {
    call.is_row = true;
    call.row = static_cast<std::size_t>(row - rule.rows.begin());
    call.choice = row->choice;
    return call;
  }
  call.unseen = answer_of(rule.unseen, sizes);
  call.choice = call.unseen.choice;
  return call;
}

std::string describe(const TableRule& rule, const LookedUpCall& call, const Sizes& sizes) {
  const std::string what =
      call.choice == 0 ? "the default" : "configuration " + std::to_string(call.choice);
  if (call.is_row) {
    return what +
           (rule.rows[call.row].measured ? ": these sizes were measured (row "
                                         : ": these sizes were not measured (row ") +
           std::to_string(call.row + 1) + ")";
  }
  const std::size_t size = call.unseen.size;
  if (call.unseen.why == UnseenAnswer::Why::kOutside) {
    return what + ": " + rule.names[size] + " is outside of what was measured, " +
           range_of(rule, size);
  }
  const std::string path = path_to(rule, sizes);
  const std::string way = path.empty() ? "" : " (" + path + ")";
  if (call.unseen.why == UnseenAnswer::Why::kUnvouched) {
    const std::size_t asked = rule.unseen.tree[call.unseen.leaf].choice;
    return what + ": the tree says configuration " + std::to_string(asked) + way + ", but that " +
           "was measured only where " + std::to_string(rule.unseen.divisors[asked][size]) +
           " divides " + rule.names[size];
  }
  if (call.unseen.why == UnseenAnswer::Why::kForbidden) {
    const std::size_t asked = rule.unseen.tree[call.unseen.leaf].choice;
    const SizeCondition& broken = rule.unseen.conditions_of(asked)[call.unseen.condition];
    return what + ": the tree says configuration " + std::to_string(asked) + way + ", but " +
           (broken.holds.empty() ? "no table can say whether its constraint " + broken.constraint +
                                       " holds for sizes that were not measured"
                                 : "its constraint " + broken.constraint +
                                       " does not hold: " + broken.holds + " is false");
  }
  return what + ": not measured; the tree says so" + way + ", from " +
         std::to_string(rule.unseen.tree[call.unseen.leaf].shapes) + " measured shapes";
}

std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes) {
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(size);
  }
  return text;
}

}  // namespace nightshift::search
