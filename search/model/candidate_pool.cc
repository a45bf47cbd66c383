#include "search/model/candidate_pool.h"

#include <cmath>
#include <unordered_set>

namespace nightshift::search {

namespace {

constexpr std::size_t kMaxWholeSpace = 6000;
constexpr std::size_t kMaxAround = 2000;
constexpr std::size_t kMaxElsewhere = 2000;
// Where the space is not counted a sample is found by search, a thousand times as slow as the look
// whether a change of one is valid.
constexpr std::size_t kUncountedSamples = 32;
constexpr std::size_t kLeapsOfSample = 64;
// Values of one parameter around one centre: with eight centres more would not fit.
constexpr std::size_t kMaxLooks = 256;
constexpr int kMaxChanges = 3;

class Gathering {
 public:
  Gathering(const ParameterSpace& space, const Aspects& aspects, const ProposalPrior& guess,
            const Unseen& unseen, const InertParameters& inert)
      : space_(space), aspects_(aspects), guess_(guess), unseen_(unseen), inert_(inert) {}

  void add(ConfigurationIndex i) {
    if (unseen_.is_seen(i) || !known_.insert(i).second) return;
    const std::vector<std::uint32_t> digits = space_.digits(i);
    if (inert_.any()) {
      const std::uint64_t key = inert_.key(digits);
      if (inert_.is_known(key) || !keys_.insert(key).second) return;
      pool_.keys.push_back(key);
    }
    pool_.indices.push_back(i);
    pool_.levels.emplace_back(aspects_.size());
    aspects_.levels(inert_.reduced(digits), pool_.levels.back());
    pool_.log_plausibility.push_back(static_cast<float>(std::log(guess_.plausibility(digits))));
  }

  // A configuration that differs from the centre in two or three parameters.
  void add_leap(const std::vector<std::uint32_t>& centre, base::Rng& rng) {
    std::vector<std::uint32_t> digits = centre;
    const std::uint64_t changes = 2 + rng.below(kMaxChanges - 1);
    for (std::uint64_t c = 0; c < changes; ++c) {
      const std::size_t k = rng.below(digits.size());
      digits[k] = static_cast<std::uint32_t>(rng.below(space_.parameters()[k].values.size()));
    }
    if (const auto found = space_.index_of_digits(digits)) add(*found);
  }

  std::size_t size() const { return pool_.indices.size(); }
  CandidatePool take() { return std::move(pool_); }

 private:
  const ParameterSpace& space_;
  const Aspects& aspects_;
  const ProposalPrior& guess_;
  const Unseen& unseen_;
  const InertParameters& inert_;
  std::unordered_set<ConfigurationIndex> known_;
  std::unordered_set<std::uint64_t> keys_;
  CandidatePool pool_;
};

}  // namespace

CandidatePool gather_candidates(const ParameterSpace& space, const Aspects& aspects,
                                const ProposalPrior& guess, const Unseen& unseen,
                                const InertParameters& inert,
                                const std::vector<ConfigurationIndex>& centres, bool everywhere,
                                base::Rng& rng) {
  Gathering gathering(space, aspects, guess, unseen, inert);
  if (everywhere && space.size() <= kMaxWholeSpace) {
    for (base::Wide i = 0; i < space.size(); ++i) gathering.add({i});
    CandidatePool pool = gathering.take();
    pool.is_whole_space = true;
    return pool;
  }
  const std::size_t share = kMaxAround / std::max<std::size_t>(1, centres.size());
  for (std::size_t c = 0; c < centres.size(); ++c) {
    const std::size_t limit = (c + 1) * share;
    std::vector<ConfigurationIndex> around = space.some_neighbours(centres[c], kMaxLooks, rng);
    rng.shuffle(around);
    for (const ConfigurationIndex i : around) {
      if (gathering.size() < limit) gathering.add(i);
    }
    const std::vector<std::uint32_t> digits = space.digits(centres[c]);
    for (std::size_t tries = 0; gathering.size() < limit && tries < 4 * share; ++tries) {
      gathering.add_leap(digits, rng);
    }
  }
  if (!everywhere) return gathering.take();
  PriorSampler glance(guess, unseen, rng);
  for (std::size_t s = 0; !space.counted() && s < kUncountedSamples; ++s) {
    const auto sample = glance.next();
    if (!sample) continue;
    gathering.add(*sample);
    const std::vector<std::uint32_t> digits = space.digits(*sample);
    for (std::size_t leap = 0; leap < kLeapsOfSample; ++leap) gathering.add_leap(digits, rng);
  }
  const std::size_t goal = gathering.size() + (space.counted() ? kMaxElsewhere : 0);
  for (std::size_t tries = 0; gathering.size() < goal && tries < 2 * kMaxElsewhere; ++tries) {
    if (const auto found = glance.next()) gathering.add(*found);
  }
  return gathering.take();
}

}  // namespace nightshift::search
