#include "search/table/unseen_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/table/shape_matrix.h"

namespace nightshift::search {
namespace {

constexpr double kNear = 0.001;

std::int64_t power_of_two_in(std::int64_t size) { return size & -size; }

TreeLessons without(const TreeLessons& lessons, std::size_t shape) {
  TreeLessons rest = lessons;
  rest.shapes.erase(rest.shapes.begin() + static_cast<std::ptrdiff_t>(shape));
  rest.costs.erase(rest.costs.begin() + static_cast<std::ptrdiff_t>(shape));
  if (!rest.barred.empty()) {
    rest.barred.erase(rest.barred.begin() + static_cast<std::ptrdiff_t>(shape));
  }
  return rest;
}

double best_cost(const TreeLessons& lessons, std::size_t shape) {
  double best = 0;
  for (const std::size_t c : lessons.choices) best = std::min(best, lessons.costs[shape][c]);
  return best;
}

LeftOut left_out_at(const TreeLessons& lessons, std::size_t depth, double margin) {
  LeftOut error;
  error.depth = depth;
  double mean = 0, regret = 0, total = 0;
  double worst = -std::numeric_limits<double>::infinity();
  const auto runs = [&](std::size_t s, std::size_t c) {
    return c == 0 || lessons.costs[s][c] < kUnusable;
  };
  for (std::size_t s = 0; s < lessons.shapes.size(); ++s) {
    const UnseenRule rule = learned_rule(without(lessons, s), depth, margin);
    const UnseenAnswer answer = answer_of(rule, lessons.shapes[s].sizes);
    if (!runs(s, answer.choice)) {
      ++error.failed;
      continue;
    }
    const double cost = answer.choice == 0 ? 0 : lessons.costs[s][answer.choice];
    const double weight = lessons.shapes[s].weight;
    mean += weight * cost;
    regret += weight * (cost - best_cost(lessons, s));
    total += weight;
    worst = std::max(worst, cost);
  }
  if (total <= 0) return error;
  error.geometric_mean = std::exp(mean / total);
  error.of_best = std::exp(regret / total);
  error.worst = std::exp(worst);
  return error;
}

// Of one size, over the shapes on which a candidate ran: the power of two that divides it in all of
// them, and those of the candidate's values that do; 0 where it ran on none.
std::int64_t common_divisor(const TreeLessons& lessons, std::size_t candidate, std::size_t size) {
  std::int64_t power = 0;
  std::vector<std::int64_t> values;
  if (candidate < lessons.guards.size()) values = lessons.guards[candidate].values;
  for (std::size_t s = 0; s < lessons.shapes.size(); ++s) {
    if (lessons.costs[s][candidate] >= kUnusable) continue;
    const std::int64_t own = lessons.shapes[s].sizes[size].second;
    power = power == 0 ? power_of_two_in(own) : std::min(power, power_of_two_in(own));
    std::erase_if(values, [&](std::int64_t value) { return own % value != 0; });
  }
  if (power == 0) return 0;
  for (const std::int64_t value : values) power = std::lcm(power, value);
  return power;
}

}  // namespace

UnseenRule learned_rule(const TreeLessons& lessons, std::size_t depth, double margin) {
  UnseenRule rule;
  rule.tree = grown_tree(lessons, depth, margin);
  if (lessons.shapes.empty()) return rule;
  const std::size_t sizes = lessons.shapes.front().sizes.size();
  const std::size_t candidates = lessons.costs.front().size();
  rule.ranges.assign(sizes, {std::numeric_limits<std::int64_t>::max(), 0});
  rule.divisors.assign(candidates, std::vector<std::int64_t>(sizes, 0));
  for (std::size_t s = 0; s < lessons.shapes.size(); ++s) {
    for (std::size_t i = 0; i < sizes; ++i) {
      const std::int64_t size = lessons.shapes[s].sizes[i].second;
      SizeRange& range = rule.ranges[i];
      range = {std::min(range.least, size), std::max(range.most, size)};
    }
  }
  for (std::size_t c = 0; c < candidates; ++c) {
    for (std::size_t i = 0; i < sizes; ++i) rule.divisors[c][i] = common_divisor(lessons, c, i);
  }
  for (const CandidateGuard& guard : lessons.guards) rule.conditions.push_back(guard.conditions);
  return rule;
}

UnseenAnswer answer_of(const UnseenRule& rule, const Sizes& sizes) {
  UnseenAnswer answer;
  for (std::size_t i = 0; i < rule.ranges.size(); ++i) {
    const std::int64_t size = sizes[i].second;
    if (size >= rule.ranges[i].least && size <= rule.ranges[i].most) continue;
    answer.why = UnseenAnswer::Why::kOutside;
    answer.size = i;
    return answer;
  }
  answer.leaf = leaf_of(rule.tree, sizes);
  answer.choice = rule.tree[answer.leaf].choice;
  if (answer.choice == 0) return answer;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t divisor = rule.divisors[answer.choice][i];
    if (divisor != 0 && sizes[i].second % divisor == 0) continue;
    answer.why = UnseenAnswer::Why::kUnvouched;
    answer.size = i;
    answer.choice = 0;
    return answer;
  }
  const std::vector<SizeCondition>& conditions = rule.conditions_of(answer.choice);
  const auto broken =
      std::ranges::find_if_not(conditions, [&](const SizeCondition& c) { return holds(c, sizes); });
  if (broken == conditions.end()) return answer;
  answer.why = UnseenAnswer::Why::kForbidden;
  answer.condition = static_cast<std::size_t>(broken - conditions.begin());
  answer.choice = 0;
  return answer;
}

std::vector<LeftOut> left_out(const TreeLessons& lessons, std::size_t most_depth, double margin) {
  std::vector<LeftOut> errors;
  for (std::size_t depth = 0; depth <= most_depth; ++depth) {
    errors.push_back(left_out_at(lessons, depth, margin));
  }
  return errors;
}

std::size_t depth_of(const std::vector<LeftOut>& errors, double slack) {
  if (errors.empty()) return 0;
  const LeftOut& surest = *std::ranges::min_element(errors, {}, &LeftOut::failed);
  const auto is_safe = [&](const LeftOut& e) {
    return e.failed == surest.failed && e.worst <= 1 + slack;
  };
  double best = 1;
  for (const LeftOut& e : errors) {
    if (is_safe(e)) best = std::min(best, e.geometric_mean);
  }
  for (const LeftOut& e : errors) {
    if (is_safe(e) && e.geometric_mean <= best * (1 + kNear)) return e.depth;
  }
  return surest.depth;
}

}  // namespace nightshift::search
