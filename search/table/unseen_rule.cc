#include "search/table/unseen_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
  for (std::size_t s = 0; s < lessons.shapes.size(); ++s) {
    const UnseenRule rule = learned_rule(without(lessons, s), depth, margin);
    const UnseenAnswer answer = answer_of(rule, lessons.shapes[s].sizes);
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
      for (std::size_t c = 0; c < candidates; ++c) {
        if (lessons.costs[s][c] >= kUnusable) continue;
        std::int64_t& divisor = rule.divisors[c][i];
        const std::int64_t own = power_of_two_in(size);
        divisor = divisor == 0 ? own : std::min(divisor, own);
      }
    }
  }
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
  const auto is_safe = [&](const LeftOut& e) { return e.worst <= 1 + slack; };
  double best = 1;
  for (const LeftOut& e : errors) {
    if (is_safe(e)) best = std::min(best, e.geometric_mean);
  }
  for (const LeftOut& e : errors) {
    if (is_safe(e) && e.geometric_mean <= best * (1 + kNear)) return e.depth;
  }
  return 0;
}

}  // namespace nightshift::search
