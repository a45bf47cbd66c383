#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "search/options/option_table.h"
#include "search/pareto.h"
#include "search/searchers/searchers.h"
#include "search/searchers/stepwise_searcher.h"

namespace nightshift::search {

namespace {

// Published: 100 members over 250 generations (Deb et al.). With hundreds of evaluations in all
// fewer are better; more than in `genetic`, since a front has to have room.
struct Nsga2Settings {
  std::size_t samples = 16;
  std::size_t population = 20;
  double mutations = 0.5;
  double sigmas = 1;
};

const OptionTable<Nsga2Settings>& option_table() {
  using Its = Nsga2Settings;
  static const OptionTable<Its> table(
      {}, {{"population", &Its::population, "members that are kept", 2, 10'000},
           {"mutations", &Its::mutations, "parameters that change in a child, in the mean", 0, 100},
           {"sigmas", &Its::sigmas, "combined standard errors by which a member outranks another",
            0, 10},
           {"samples", &Its::samples, kSamplesMeaning, 1, 10'000}});
  return table;
}

// NSGA-II (Deb, Pratap, Agarwal and Meyarivan 2002) in the steady state (Durillo, Nebro et al.
// 2009): one child at a time, of parents that win tournaments by front and then by crowding; of the
// last front the most crowded one leaves. It keeps the trade-offs between several objectives. With
// one, fronts are ranks and this is a genetic algorithm on the score.
class Nsga2Searcher : public StepwiseSearcher {
 public:
  Nsga2Searcher(const ParameterSpace& space, const SearcherSettings& settings,
                const Nsga2Settings& own)
      : StepwiseSearcher(space, settings, {own.samples, 0}), own_(own) {}

 protected:
  std::optional<Proposal> propose() override {
    if (places_.empty()) return std::nullopt;
    const Digits mother = space_.digits(parent());
    const Digits child = moves_.cross(mother, space_.digits(parent()), rng_);
    const auto next = take_near(moves_.mutated(child, own_.mutations, rng_));
    return next ? std::optional(Proposal{*next}) : std::nullopt;
  }

  void learn(const Told& told) override {
    if (told.cost.failed()) return;
    ObjectivePoint point = told.observation.objectives;
    const std::size_t objectives = points_.empty() ? 0 : points_.front().size();
    // The baseline is told of without objectives: it scores the same in all.
    for (ObjectivePoint& other : points_)
      other.resize(std::max(point.size(), objectives), other[0]);
    point.resize(std::max<std::size_t>({point.size(), objectives, 1}), *told.observation.score);
    if (const auto known = std::ranges::find(places_, told.configuration); known != places_.end()) {
      points_[static_cast<std::size_t>(known - places_.begin())] = std::move(point);
    } else {
      places_.push_back(told.configuration);
      points_.push_back(std::move(point));
    }
    rank();
  }

  void forget() override {}  // there is but one run

 private:
  // Finds everyone's front and crowding; where there are too many, the last one leaves.
  void rank() {
    const auto fronts = non_dominated_fronts(points_, own_.sigmas);
    fitness_.resize(points_.size());
    std::size_t last = 0;
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      const std::vector<double> crowding = crowding_distance(points_, fronts[f]);
      for (std::size_t i = 0; i < crowding.size(); ++i) {
        fitness_[fronts[f][i]] = {f, -crowding[i]};
      }
    }
    for (std::size_t i = 1; i < fitness_.size(); ++i) {
      if (is_behind(i, last)) last = i;
    }
    if (places_.size() <= own_.population) return;
    const auto at = static_cast<std::ptrdiff_t>(last);
    places_.erase(places_.begin() + at);
    points_.erase(points_.begin() + at);
    fitness_.erase(fitness_.begin() + at);
  }

  // Within a front of one objective only noise differs; there the score decides.
  bool is_behind(std::size_t a, std::size_t b) const {
    if (points_[a].size() == 1) return points_[a][0].value > points_[b][0].value;
    return fitness_[a] > fitness_[b];
  }

  ConfigurationIndex parent() {
    const std::size_t one = rng_.below(places_.size());
    const std::size_t other = rng_.below(places_.size());
    return places_[fitness_[one] <= fitness_[other] ? one : other];
  }

  const Nsga2Settings own_;
  std::vector<ConfigurationIndex> places_;
  std::vector<ObjectivePoint> points_;                   // of each place
  std::vector<std::pair<std::size_t, double>> fitness_;  // front, minus crowding; less is better
};

}  // namespace

std::unique_ptr<Searcher> make_nsga2_searcher(const ParameterSpace& space,
                                              const SearcherSettings& settings) {
  return std::make_unique<Nsga2Searcher>(space, settings, option_table().with(settings.options));
}

std::vector<SearcherOption> nsga2_options() { return option_table().described(); }

}  // namespace nightshift::search
