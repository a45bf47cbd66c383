#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "search/options/option_table.h"
#include "search/searchers/searchers.h"
#include "search/searchers/stepwise_searcher.h"

namespace nightshift::search {

namespace {

// Published: Clerc and Kennedy's constriction gives inertia 0.73 and pulls of 1.5 each; Kernel
// Tuner 1.4.0 has 50 particles, 3.5 and 1. In hundreds of evaluations few particles are better,
// drawn more to the best of all than to their own: 6 to 16 particles, inertia from 0.6 to 0.8 and
// pulls of half as much again change the mean quality over 400 evaluations by less than 0.006.
struct SwarmSettings {
  std::size_t particles = 10;
  double inertia = 0.7;
  double own_pull = 0.7;
  double swarm_pull = 2;
  double top_speed = 0.5;
  std::size_t patience = 60;
};

const OptionTable<SwarmSettings>& option_table() {
  using Its = SwarmSettings;
  static const OptionTable<Its> table(
      {},
      {{"particles", &Its::particles, "of the swarm, which is also spread so at first", 1, 10'000},
       {"inertia", &Its::inertia, "share of its velocity that a particle keeps", 0, 2},
       {"own_pull", &Its::own_pull, "towards the best place of the particle", 0, 10},
       {"swarm_pull", &Its::swarm_pull, "towards the best place of all", 0.01, 10},
       {"top_speed", &Its::top_speed, "share of a parameter's range that a step covers at most",
        0.01, 1},
       {"patience", &Its::patience, kPatienceMeaning, 0, 1e6}});
  return table;
}

// Particle swarm (Kennedy and Eberhart 1995) over the positions in the lists of values, scaled to
// [0, 1]. Particles take turns and know the swarm's best at that time, also while their last place
// is outstanding (Koh et al., parallel asynchronous PSO, 2006). A particle lands on the valid, new
// configuration next to where it flies, and flies on from there. Where values have no order it
// keeps its own, or takes its best place's or the swarm's, in proportion to inertia and pulls.
class ParticleSwarmSearcher : public StepwiseSearcher {
 public:
  ParticleSwarmSearcher(const ParameterSpace& space, const SearcherSettings& settings,
                        const SwarmSettings& own)
      : StepwiseSearcher(space, settings, {own.particles, own.patience}), own_(own) {}

 protected:
  std::optional<Proposal> propose() override {
    if (swarm_.empty()) return std::nullopt;
    const std::size_t turn = turn_++ % swarm_.size();
    Particle& particle = swarm_[turn];
    const Digits best = space_.digits(particle.best);
    const auto next = take_near(moves_.repaired(flown(particle, best), best, rng_));
    if (!next) return std::nullopt;
    particle.place = space_.digits(*next);
    return Proposal{*next, turn};
  }

  // Samples become particles; of what nobody asked for, the swarm learns where it is the best.
  void learn(const Told& told) override {
    if (told.cost.failed()) return;
    const bool is_best = swarm_.empty() || told.cost.value < swarm_[leader_].cost.value;
    if (told.tag) {
      update(*told.tag, told);
    } else if (swarm_.size() < own_.particles) {
      swarm_.push_back({space_.digits(told.configuration),
                        std::vector<double>(moves_.free_parameters().size()), told.configuration,
                        told.cost});
      if (is_best) leader_ = swarm_.size() - 1;
    } else if (is_best) {
      update(leader_, told);
    }
  }

  void forget() override {
    swarm_.clear();
    leader_ = 0;
  }

 private:
  struct Particle {
    Digits place;
    std::vector<double> velocity;  // of each free parameter, in ranges a turn
    ConfigurationIndex best;       // where it has been
    Cost cost;                     // there
  };

  void update(std::size_t turn, const Told& told) {
    Particle& particle = swarm_[turn];
    if (told.cost.value >= particle.cost.value) return;
    particle.best = told.configuration;
    particle.cost = told.cost;
    if (told.cost.value < swarm_[leader_].cost.value) leader_ = turn;
  }

  Digits flown(Particle& particle, const Digits& own) {
    const Digits swarm = space_.digits(swarm_[leader_].best);
    Digits to = particle.place;
    for (std::size_t i = 0; i < particle.velocity.size(); ++i) {
      const std::size_t k = moves_.free_parameters()[i];
      if (!moves_.is_ordered(k)) {
        to[k] = chosen(to[k], own[k], swarm[k]);
        continue;
      }
      const double range = moves_.value_count(k) - 1.0;
      const double here = to[k];
      double& velocity = particle.velocity[i];
      velocity = own_.inertia * velocity +
                 own_.own_pull * rng_.uniform() * (own[k] - here) / range +
                 own_.swarm_pull * rng_.uniform() * (swarm[k] - here) / range;
      velocity = std::clamp(velocity, -own_.top_speed, own_.top_speed);
      const double place = std::clamp(std::round(here + velocity * range), 0.0, range);
      to[k] = static_cast<std::uint32_t>(place);
    }
    return to;
  }

  std::uint32_t chosen(std::uint32_t here, std::uint32_t own, std::uint32_t swarm) {
    const double pull = rng_.uniform() * (own_.inertia + own_.own_pull + own_.swarm_pull);
    if (pull < own_.inertia) return here;
    return pull < own_.inertia + own_.own_pull ? own : swarm;
  }

  const SwarmSettings own_;
  std::vector<Particle> swarm_;
  std::size_t leader_ = 0;  // whose best is the best of all
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Searcher> make_particle_swarm_searcher(const ParameterSpace& space,
                                                       const SearcherSettings& settings) {
  return std::make_unique<ParticleSwarmSearcher>(space, settings,
                                                 option_table().with(settings.options));
}

std::vector<SearcherOption> particle_swarm_options() { return option_table().described(); }

}  // namespace nightshift::search
