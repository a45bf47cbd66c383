#include "problems/readers/problem/settings.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "problems/readers/keys/study_keys.h"
#include "search/acceptance/devices_needed.h"
#include "search/problem/runs_by_time.h"

namespace nightshift::problems {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
using Said = std::set<std::string_view>;
// What nobody has said follows from the budget: see settle_budget().
constexpr int kFollowsBudget = -1;
constexpr double kSamplingShare = 0.02;  // of a budget of time, for the samples of one evaluation
constexpr double kShortBudget = 60;

// The keys of `settings` that were there and right; nothing where there is no such table. `settle`
// then says what they mean to each other.
template <class Owner, class Settle>
void read_table(TableReader& root, const Settings<Owner>& settings, Owner& owner, Settle settle) {
  auto table = root.subtable(settings.table()->name);
  if (!table) return;
  settle(*table, settings.read(*table, owner));
  table->finish();
}
template <class Owner>
void read_table(TableReader& root, const Settings<Owner>& settings, Owner& owner) {
  read_table(root, settings, owner, [](TableReader&, const Said&) {});
}

void check_normalisation(const TableReader& table, const search::SchedulingSettings& scheduling) {
  const bool given = scheduling.normalisation == search::Normalisation::kGiven;
  if (table.has("given_baseline") == given) return;
  table.error(given ? "normalisation" : "given_baseline",
              given ? "is 'given', so that 'given_baseline' must say the figure that scores "
                      "are relative to"
                    : "belongs to normalisation = 'given'");
}

// What no figures could meet. How many devices there are is known when a study starts.
void refuse_what_never_accepts(const TableReader& table,
                               const search::AcceptanceSettings& acceptance) {
  const int all = acceptance.devices;
  const std::string part = all == 1 ? "the one device that takes part"
                                    : "the " + std::to_string(all) + " devices that take part";
  if (all > 0 && acceptance.devices_least > all) {
    table.error("devices_least", "is more than " + part);
  }
  if (all > 0 && acceptance.majority > all) table.error("majority", "is more than " + part);
  if (all == 1 && acceptance.consensus == search::Consensus::kFleet) {
    table.error("devices",
                "must be 2 or more with consensus = 'fleet', which takes the devices "
                "as a sample of many");
  }
  const int fewest = search::fewest_anytime_pairs(acceptance.level);
  if (acceptance.test == search::DuelTest::kAnytime && acceptance.max_pairs < fewest) {
    table.error("max_pairs", "must be at least " + std::to_string(fewest) +
                                 " with test = 'anytime', which shows nothing at that level by "
                                 "fewer");
  }
}

// The fewest follow the most down where nobody has said otherwise.
void settle_hold_out(const TableReader& table, search::AcceptanceSettings& acceptance,
                     const Said& said) {
  int& least = acceptance.hold_out_least;
  const int most = acceptance.hold_out_most;
  if (!said.contains("hold_out_least")) least = std::min(least, most);
  if (most > 0 && most < kFewestPairs) return;  // which is a mistake already
  if (least > most) {
    table.error("hold_out_least", "is " + std::to_string(least) + ", more than hold_out_most, " +
                                      std::to_string(most) + ": lower it or raise hold_out_most");
  } else if (most > 0 && least < kFewestPairs) {
    table.error("hold_out_least", "must be at least 4, unless 'hold_out_most' is 0");
  }
}

void settle_acceptance(const TableReader& table, search::AcceptanceSettings& acceptance,
                       const Said& said) {
  if (acceptance.majority > 0 && acceptance.consensus != search::Consensus::kMajority) {
    table.error("majority", "belongs to consensus = 'majority'");
  }
  // The anytime test asks after every pair, which only an e-process bears.
  if (acceptance.test == search::DuelTest::kAnytime &&
      acceptance.consensus == search::Consensus::kFleet) {
    table.error("test",
                "cannot be 'anytime' with consensus = 'fleet', whose t test over the devices "
                "does not bear a look after every pair; write test = 'sequential', or "
                "consensus = 'consistent', 'strict' or 'majority'");
  }
  refuse_what_never_accepts(table, acceptance);
  settle_hold_out(table, acceptance, said);
}

void read_device(TableReader& root, search::Problem& problem) {
  read_table(root, device_settings(), problem.device, [&](const TableReader&, const Said&) {
    if (search::is_on_gpus(problem)) return;
    root.error("device",
               "belongs to problems that run on GPUs: [cuda], and [command] with device = 'gpu'; "
               "around other programs that use a GPU there is `nightshift lock-clocks -- COMMAND`");
  });
}

}  // namespace

void read_settings(TableReader& root, search::Problem& problem) {
  problem.sampling.warm_up_runs = kFollowsBudget;
  problem.sampling.max_seconds = kFollowsBudget;
  read_table(root, measure_settings(), problem.sampling);
  search::Limits& limits = problem.limits;
  read_table(root, limits_settings(), limits, [&](const TableReader&, const Said& said) {
    // Whoever has said how long an evaluation may take has said it for slow ones too.
    const bool chosen =
        said.contains("verify") || said.contains("measure") || said.contains("trial");
    if (chosen && !said.contains("times_baseline")) limits.times_baseline = 0;
    if (said.contains("build") && !said.contains("times_build")) limits.times_build = 0;
  });
  if (problem.sampling.warm_up_seconds >= limits.measure) {
    root.error("measure",
               "warm_up_seconds is not below limits.measure: nothing would be measured in time");
  }
  read_table(root, budget_settings(), problem.budget);
  read_table(root, search_settings(), problem);
  read_table(root, schedule_settings(), problem.scheduling,
             [&](const TableReader& table, const Said&) {
               check_normalisation(table, problem.scheduling);
             });
  read_table(root, acceptance_settings(), problem.acceptance,
             [&](const TableReader& table, const Said& said) {
               settle_acceptance(table, problem.acceptance, said);
             });
  read_device(root, problem);
}

namespace {

// A kernel of 0.3 s would be sampled for 6 s otherwise, and nothing be shown in 20.
void settle_sampling(search::SamplingPlan& plan, double seconds) {
  const search::SamplingPlan usual;
  const bool is_short = seconds > 0 && seconds < kShortBudget;
  if (plan.warm_up_runs == kFollowsBudget) plan.warm_up_runs = is_short ? 1 : usual.warm_up_runs;
  if (plan.max_seconds != kFollowsBudget) return;
  const double most = seconds > 0 ? kSamplingShare * seconds : usual.max_seconds;
  plan.max_seconds = std::min(most, usual.max_seconds);
}

void settle_limits(search::Problem& problem) {
  search::Budget& budget = problem.budget;
  const bool recorded = search::is_recorded(problem);
  if (recorded && budget.seconds > 0) {
    const double simulated = budget.simulated_seconds > 0 ? budget.simulated_seconds : kNoLimit;
    budget.simulated_seconds = std::min(simulated, budget.seconds);
    budget.seconds = 0;
  }
  if (budget.seconds > 0 || budget.simulated_seconds > 0 || budget.trials > 0 || budget.stall > 0) {
    return;
  }
  if (recorded) {
    budget.trials = 400;
  } else {
    budget.seconds = 600;
  }
}

// The budget stays, and counts as well.
void settle_effort(search::Problem& problem) {
  if (problem.scheduling.effort != search::Effort::kQuick) return;
  const auto at_most = [](std::uint64_t& limit, std::uint64_t most) {
    limit = limit == 0 ? most : std::min(limit, most);
  };
  at_most(problem.budget.trials, search::kQuickTrials);
  at_most(problem.budget.stall, search::kQuickStall);
}

}  // namespace

void settle_budget(search::Problem& problem) {
  settle_limits(problem);
  settle_effort(problem);
  settle_sampling(problem.sampling, problem.budget.seconds);
  const bool any_extreme = std::ranges::any_of(problem.objectives, [](const search::Objective& o) {
    return search::is_extreme(o.statistic);
  });
  if (!any_extreme) return;
  problem.sampling.precision = 0;
  if (search::has_runs_by_time(problem)) {
    std::get<search::CommandBackend>(problem.backend).runs = search::kMostRunsByTime;
  }
}

}  // namespace nightshift::problems
