#include "search/space/parameter_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace nightshift::search {

namespace {

// Each beginning costs time quadratic in the parameters.
constexpr std::size_t kManyParameters = 24;
constexpr std::size_t kFewBeginnings = 4;

// Estimates how many states an order leaves open, all in logarithms. A check with some of its
// parameters set is taken to have as many different futures as there are combinations of what is
// set, or of what is not set, whichever is fewer, and no more than its shape allows.
class Ordering {
 public:
  Ordering(const std::vector<std::uint32_t>& parameters, const std::vector<CheckShape>& checks,
           const Domains& domains)
      : parameters_(parameters), checks_of_(parameters.size()) {
    std::unordered_map<std::uint32_t, std::uint32_t> local;
    for (const std::uint32_t p : parameters) {
      local.emplace(p, static_cast<std::uint32_t>(local.size()));
      size_.push_back(std::log(static_cast<double>(std::max<std::size_t>(domains[p].size(), 1))));
    }
    for (const CheckShape& check : checks) {
      std::vector<std::uint32_t>& members = checks_.emplace_back();
      const double bound = std::numeric_limits<double>::infinity();
      most_.push_back(check.most_states > 0 ? std::log(check.most_states) : bound);
      for (const std::uint32_t p : check.parameters) {
        members.push_back(local.at(p));
        checks_of_[members.back()].push_back(static_cast<std::uint32_t>(checks_.size() - 1));
      }
    }
  }

  std::vector<std::uint32_t> best() {
    const std::size_t count = parameters_.size();
    std::vector<std::size_t> beginnings(count);
    for (std::size_t i = 0; i < count; ++i) beginnings[i] = i;
    std::ranges::stable_sort(beginnings, {}, [&](std::size_t i) { return size_[i]; });
    if (count > kManyParameters) beginnings.resize(kFewBeginnings);
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> chosen;
    std::ranges::sort(beginnings);
    for (const std::size_t beginning : beginnings) {
      const double cost = run(beginning);
      if (cost >= least * (1 - 1e-9)) continue;
      least = cost;
      chosen = order_;
    }
    for (std::uint32_t& p : chosen) p = parameters_[p];
    return chosen;
  }

 private:
  struct Progress {
    double set = 0;
    double unset = 0;
    std::size_t left = 0;  // parameters

    double futures(double most) const {
      if (left == 0) return 0;
      return std::min({set, unset < 30 ? std::log1p(std::exp(unset)) : unset, most});
    }
  };

  // The estimated number of transitions.
  double run(std::size_t beginning) {
    progress_.assign(checks_.size(), {});
    for (std::size_t c = 0; c < checks_.size(); ++c) {
      for (const std::uint32_t p : checks_[c]) progress_[c].unset += size_[p];
      progress_[c].left = checks_[c].size();
    }
    open_checks_.clear();
    for (const auto& checks : checks_of_) open_checks_.push_back(checks.size());
    is_set_.assign(parameters_.size(), false);
    order_.clear();
    by_checks_ = by_parameters_ = 0;
    double cost = 0;
    for (std::size_t next = beginning;; next = choose()) {
      cost += std::exp(std::min(width(), 600.0) + size_[next]);
      set(next);
      if (order_.size() == parameters_.size()) return cost;
    }
  }

  double width() const { return std::max(0.0, std::min(by_checks_, by_parameters_)); }

  struct Change {
    double by_checks = 0;
    double by_parameters = 0;
    std::size_t closed = 0;
  };

  Change change(std::size_t p) {
    Change change;
    if (!checks_of_[p].empty()) change.by_parameters += size_[p];
    for (const std::uint32_t c : checks_of_[p]) {
      const Progress& before = progress_[c];
      const Progress after{before.set + size_[p], before.unset - size_[p], before.left - 1};
      change.by_checks += after.futures(most_[c]);
      if (before.set > 0) change.by_checks -= before.futures(most_[c]);
      if (after.left > 0) continue;
      ++change.closed;
      for (const std::uint32_t q : checks_[c]) {
        if (--open_checks_[q] == 0) change.by_parameters -= size_[q];
      }
    }
    return change;
  }

  void restore(std::size_t p) {
    for (const std::uint32_t c : checks_of_[p]) {
      if (progress_[c].left > 1) continue;
      for (const std::uint32_t q : checks_[c]) ++open_checks_[q];
    }
  }

  void set(std::size_t p) {
    const Change done = change(p);
    by_checks_ += done.by_checks;
    by_parameters_ += done.by_parameters;
    for (const std::uint32_t c : checks_of_[p]) {
      progress_[c].set += size_[p];
      progress_[c].unset -= size_[p];
      --progress_[c].left;
    }
    is_set_[p] = true;
    order_.push_back(static_cast<std::uint32_t>(p));
  }

  std::size_t choose() {
    std::size_t best = parameters_.size();
    double best_width = 0;
    std::size_t best_closed = 0;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      if (is_set_[p]) continue;
      const Change next = change(p);
      restore(p);
      const double after =
          std::min(by_checks_ + next.by_checks, by_parameters_ + next.by_parameters);
      const bool narrower = after < best_width - 1e-9;
      const bool as_narrow = after < best_width + 1e-9;
      if (best == parameters_.size() || narrower || (as_narrow && next.closed > best_closed)) {
        best = p;
        best_width = after;
        best_closed = next.closed;
      }
    }
    return best;
  }

  const std::vector<std::uint32_t>& parameters_;
  std::vector<double> size_;  // by parameter, as in all below
  std::vector<std::vector<std::uint32_t>> checks_;
  std::vector<double> most_;  // states of each check
  std::vector<std::vector<std::uint32_t>> checks_of_;
  std::vector<Progress> progress_;        // by check
  std::vector<std::size_t> open_checks_;  // of each parameter
  std::vector<bool> is_set_;
  std::vector<std::uint32_t> order_;
  double by_checks_ = 0;
  double by_parameters_ = 0;
};

}  // namespace

std::vector<std::uint32_t> order_parameters(const std::vector<std::uint32_t>& parameters,
                                            const std::vector<CheckShape>& checks,
                                            const Domains& domains) {
  return Ordering(parameters, checks, domains).best();
}

}  // namespace nightshift::search
