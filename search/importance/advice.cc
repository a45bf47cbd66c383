#include "search/importance/advice.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/rng.h"
#include "search/model/feasibility.h"

namespace nightshift::search {

namespace {

using Digits = std::vector<std::uint32_t>;

constexpr std::uint64_t kSeed = 0x6164;
constexpr double kLeastChance = 0.8;
constexpr std::size_t kMostLearnt = 4000;  // of the tried, by the model of what works
constexpr std::size_t kCentres = 8;
constexpr std::size_t kLooks = 64;  // values of one parameter around a centre
constexpr std::size_t kSamples = 2000;
constexpr int kSteps = 20;

class Search {
 public:
  Search(const ParameterSpace& space, const SpaceModel& model, const std::vector<TriedPoint>& tried,
         const std::function<bool(const Digits&)>& is_allowed)
      : space_(space), model_(model), is_allowed_(is_allowed), works_(space), rng_(kSeed) {
    for (const TriedPoint& point : tried) {
      if (const auto index = space.index_of_digits(point.digits)) seen_.insert(*index);
    }
    std::vector<TriedPoint> learnt = tried;
    if (learnt.size() > kMostLearnt) {
      rng_.shuffle(learnt);
      learnt.resize(kMostLearnt);
    }
    for (const TriedPoint& point : learnt) works_.observe(point.digits, point.works);
  }

  std::optional<Advice> run(std::vector<TriedPoint> tried) {
    std::erase_if(tried, [](const TriedPoint& point) { return !point.works; });
    std::ranges::stable_sort(tried, {}, &TriedPoint::target);
    if (tried.size() > kCentres) tried.resize(kCentres);
    for (const TriedPoint& point : tried) {
      if (const auto index = space_.index_of_digits(point.digits)) look_around(*index);
    }
    for (std::size_t i = 0; i < kSamples; ++i) look_at(space_.sample(rng_));
    for (int step = 0; step < kSteps && best_; ++step) {
      const ConfigurationIndex centre = best_->configuration;
      look_around(centre);
      if (best_->configuration == centre) break;
    }
    return best_;
  }

 private:
  void look_around(ConfigurationIndex centre) {
    for (const ConfigurationIndex i : space_.some_neighbours(centre, kLooks, rng_)) look_at(i);
  }

  void look_at(ConfigurationIndex i) {
    if (!seen_.insert(i).second) return;
    const Digits digits = space_.digits(i);
    const double target = model_.predict(digits);
    if (best_ && target >= best_->target) return;
    const double chance = works_.failures() > 0 ? works_.probability(digits) : 1;
    if (chance < kLeastChance || !is_allowed_(digits)) return;
    best_ = Advice{i, target, chance};
  }

  const ParameterSpace& space_;
  const SpaceModel& model_;
  const std::function<bool(const Digits&)>& is_allowed_;
  Feasibility works_;
  base::Rng rng_;
  std::unordered_set<ConfigurationIndex> seen_;
  std::optional<Advice> best_;
};

}  // namespace

std::optional<Advice> advise(const ParameterSpace& space, const SpaceModel& model,
                             const std::vector<TriedPoint>& tried,
                             const std::function<bool(const Digits&)>& is_allowed) {
  return Search(space, model, tried, is_allowed).run(tried);
}

}  // namespace nightshift::search
