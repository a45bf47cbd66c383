#include "search/table/kept_configurations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nightshift::search {
namespace {

constexpr double kNothing = 1e-9;  // a gain in logarithms that is none
constexpr double kNearLargest = 0.001;

class Choosing {
 public:
  explicit Choosing(const ChoiceCosts& choice) : choice_(choice) {
    total_ = std::accumulate(choice.weights.begin(), choice.weights.end(), 0.0);
    candidates_ = choice.costs.empty() ? 1 : choice.costs.front().size();
  }

  std::size_t candidates() const { return candidates_; }

  // The cheapest of those kept, or the default; the first of equals.
  std::size_t chosen(std::size_t shape, const std::vector<std::size_t>& kept) const {
    std::size_t best = 0;
    for (const std::size_t c : kept) {
      if (choice_.costs[shape][c] < choice_.costs[shape][best]) best = c;
    }
    return best;
  }
  // Weighted mean in logarithms.
  double mean_with(const std::vector<std::size_t>& kept) const {
    double sum = 0;
    for (std::size_t s = 0; s < choice_.costs.size(); ++s) {
      sum += choice_.weights[s] * choice_.costs[s][chosen(s, kept)];
    }
    return total_ > 0 ? sum / total_ : 0;
  }

  bool is_kept(const std::vector<std::size_t>& kept, std::size_t c) const {
    return std::ranges::find(kept, c) != kept.end();
  }

  // False where none brings anything.
  bool add_best(std::vector<std::size_t>& kept) const {
    double best = mean_with(kept) - kNothing;
    std::size_t which = 0;
    for (std::size_t c = 1; c < candidates_; ++c) {
      if (is_kept(kept, c)) continue;
      kept.push_back(c);
      if (const double mean = mean_with(kept); mean < best) best = mean, which = c;
      kept.pop_back();
    }
    if (which != 0) kept.push_back(which);
    return which != 0;
  }

  void exchange(std::vector<std::size_t>& kept) const {
    double best = mean_with(kept) - kNothing;
    for (bool again = true; again;) {
      again = false;
      for (std::size_t& place : kept) {
        for (std::size_t c = 1; c < candidates_; ++c) {
          if (is_kept(kept, c)) continue;
          const std::size_t before = place;
          place = c;
          const double mean = mean_with(kept);
          if (mean < best) {
            best = mean - kNothing;
            again = true;
          } else {
            place = before;
          }
        }
      }
    }
  }

  KeptConfigurations described(std::vector<std::size_t> kept, double slack) const {
    std::ranges::sort(kept);
    KeptConfigurations table;
    double regret = 0;
    for (std::size_t s = 0; s < choice_.costs.size(); ++s) {
      const std::size_t c = chosen(s, kept);
      table.of_shape.push_back(c);
      const double best = std::min(0.0, *std::ranges::min_element(choice_.costs[s]));
      const double lost = choice_.costs[s][c] - best;
      regret += choice_.weights[s] * lost;
      table.worst = std::max(table.worst, std::exp(lost));
      table.beyond_slack += lost > std::log1p(slack) ? 1 : 0;
    }
    table.geometric_mean = std::exp(mean_with(kept));
    table.of_best = total_ > 0 ? std::exp(regret / total_) : 1;
    table.kept = std::move(kept);
    return table;
  }

 private:
  const ChoiceCosts& choice_;
  double total_ = 0;
  std::size_t candidates_ = 1;
};

}  // namespace

std::vector<KeptConfigurations> curve_of_kept(const ChoiceCosts& choice, std::size_t most,
                                              double slack) {
  const Choosing choosing(choice);
  std::vector<std::size_t> kept;
  std::vector<KeptConfigurations> curve{choosing.described(kept, slack)};
  while (curve.size() <= most && choosing.add_best(kept)) {
    choosing.exchange(kept);
    curve.push_back(choosing.described(kept, slack));
  }
  return curve;
}

std::size_t enough_of(const std::vector<KeptConfigurations>& curve, double slack) {
  if (curve.empty()) return 0;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    if (curve[k].beyond_slack == 0 && curve[k].of_best <= 1 + slack / 3) return k;
  }
  for (std::size_t k = 0; k < curve.size(); ++k) {
    if (curve[k].of_best <= curve.back().of_best * (1 + kNearLargest)) return k;
  }
  return curve.size() - 1;
}

}  // namespace nightshift::search
