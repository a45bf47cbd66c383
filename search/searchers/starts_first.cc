#include "search/searchers/starts_first.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "search/searchers/moves.h"
#include "search/searchers/pattern_neighbours.h"

namespace nightshift::search {

namespace {

class StartsFirst : public Searcher {
 public:
  StartsFirst(std::unique_ptr<Searcher> searcher, const ParameterSpace& space,
              const std::vector<ConfigurationIndex>& starts)
      : searcher_(std::move(searcher)) {
    for (const ConfigurationIndex start : starts) {
      if (start.value < space.size() && starts_.insert(start).second) waiting_.push_back(start);
    }
  }

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (proposals.size() < n && !waiting_.empty()) {
      proposals.push_back(waiting_.front());
      waiting_.pop_front();
    }
    // The searcher does not know of a start before it is told, and may propose it in between.
    while (searcher_ && proposals.size() < n) {
      const std::vector<ConfigurationIndex> more = searcher_->ask(n - proposals.size());
      if (more.empty()) break;
      for (const ConfigurationIndex i : more) {
        if (!starts_.contains(i)) proposals.push_back(i);
      }
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation& observation) override {
    if (starts_.contains(configuration)) std::erase(waiting_, configuration);
    if (searcher_) searcher_->tell(configuration, observation);
  }

 private:
  std::unique_ptr<Searcher> searcher_;  // may be null
  std::unordered_set<ConfigurationIndex> starts_;
  std::deque<ConfigurationIndex> waiting_;
};

constexpr int kDraws = 32;  // of a neighbour, before there is none

// The neighbours of a configuration, each once: changes of one parameter and of two by turns.
class Neighbourhood {
 public:
  Neighbourhood(const ParameterSpace& space, ConfigurationIndex centre, std::uint64_t seed)
      : space_(space), moves_(space), centre_(space.digits(centre)), rng_(seed) {
    const PatternNeighbours roles(space);
    turns_ = moves_.free_parameters();
    rng_.shuffle(turns_);
    std::stable_partition(turns_.begin(), turns_.end(), [&](std::size_t parameter) {
      return parameter == roles.warps() || std::ranges::count(roles.block_sizes(), parameter) > 0;
    });
  }

  // One that is not among `seen`; nullopt where none was found.
  std::optional<ConfigurationIndex> next(const std::unordered_set<ConfigurationIndex>& seen) {
    if (turns_.empty()) return std::nullopt;
    const std::size_t changes = drawn_++ % 2 == 0 ? 1 : 2;
    // Parameters none of whose values is new or valid pass their turn on.
    for (std::size_t tries = 0; changes == 1 && tries < turns_.size(); ++tries) {
      const std::size_t parameter = turns_[turn_++ % turns_.size()];
      if (const auto found = changed(parameter, seen)) return found;
    }
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto found = moves_.change(centre_, 2, rng_);
      if (found && !seen.contains(*found)) return found;
    }
    return std::nullopt;
  }

 private:
  std::optional<ConfigurationIndex> changed(std::size_t parameter,
                                            const std::unordered_set<ConfigurationIndex>& seen) {
    Digits digits = centre_;
    for (int draw = 0; draw < kDraws; ++draw) {
      digits[parameter] = moves_.another_value(parameter, centre_[parameter], rng_);
      const auto found = space_.index_of_digits(digits);
      if (found && !seen.contains(*found)) return found;
    }
    return std::nullopt;
  }

  const ParameterSpace& space_;
  const Moves moves_;
  const Digits centre_;
  base::Rng rng_;
  std::vector<std::size_t> turns_;  // parameters in the order in which they are changed
  std::size_t turn_ = 0, drawn_ = 0;
};

class NearBaseline : public Searcher {
 public:
  NearBaseline(std::unique_ptr<Searcher> searcher, const ParameterSpace& space,
               ConfigurationIndex baseline, std::size_t trials, std::uint64_t seed)
      : searcher_(std::move(searcher)), neighbours_(space, baseline, seed), left_(trials) {}

  std::vector<ConfigurationIndex> ask(std::size_t n) override {
    std::vector<ConfigurationIndex> proposals;
    while (proposals.size() < n) {
      std::optional<ConfigurationIndex> next = is_near_next_ ? near() : std::nullopt;
      is_near_next_ = left_ > 0 && !next;
      if (!next) next = usual();
      if (!next) next = near();  // the searcher has nothing more
      if (!next) break;
      proposals.push_back(*next);
    }
    return proposals;
  }

  void tell(ConfigurationIndex configuration, const Observation& observation) override {
    seen_.insert(configuration);
    searcher_->tell(configuration, observation);
  }

 private:
  std::optional<ConfigurationIndex> near() {
    if (left_ == 0) return std::nullopt;
    const auto next = neighbours_.next(seen_);
    left_ = next ? left_ - 1 : 0;
    if (next) seen_.insert(*next);
    return next;
  }

  // The searcher does not know of a neighbour before it is told, and may propose it in between.
  std::optional<ConfigurationIndex> usual() {
    while (true) {
      const std::vector<ConfigurationIndex> next = searcher_->ask(1);
      if (next.empty()) return std::nullopt;
      if (seen_.insert(next.front()).second) return next.front();
    }
  }

  std::unique_ptr<Searcher> searcher_;
  Neighbourhood neighbours_;
  std::size_t left_;  // neighbours that are to be proposed
  bool is_near_next_ = true;
  std::unordered_set<ConfigurationIndex> seen_;  // proposed or told
};

}  // namespace

std::unique_ptr<Searcher> starts_first(std::unique_ptr<Searcher> searcher,
                                       const ParameterSpace& space,
                                       const std::vector<ConfigurationIndex>& starts) {
  if (starts.empty() && searcher) return searcher;
  return std::make_unique<StartsFirst>(std::move(searcher), space, starts);
}

std::unique_ptr<Searcher> near_baseline(std::unique_ptr<Searcher> searcher,
                                        const ParameterSpace& space, ConfigurationIndex baseline,
                                        std::size_t trials, std::uint64_t seed) {
  if (trials == 0) return searcher;
  return std::make_unique<NearBaseline>(std::move(searcher), space, baseline, trials, seed);
}

}  // namespace nightshift::search
