#include "problems/readers/problem/settings.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <variant>

#include "search/acceptance/devices_needed.h"
#include "search/searcher_catalogue.h"

namespace nightshift::problems {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMostSamples = 1'000'000;
constexpr double kLeastGiveUp = 1.2;
constexpr int kFewestPairs = 4;
// What nobody has said follows from the budget: see settle_budget().
constexpr int kFollowsBudget = -1;
constexpr double kSamplingShare = 0.02;  // of a budget of time, for the samples of one evaluation
constexpr double kShortBudget = 60;

void read_measure(TableReader& root, search::SamplingPlan& plan) {
  plan.warm_up_runs = kFollowsBudget;
  plan.max_seconds = kFollowsBudget;
  auto table = root.subtable("measure");
  if (!table) return;
  table->integer("samples", plan.samples);
  plan.most_samples = std::max(plan.most_samples, plan.samples);
  table->integer("most_samples", plan.most_samples, plan.samples, kMostSamples);
  table->share("precision", plan.precision);
  table->number("give_up_ratio", plan.give_up_ratio);
  if (plan.give_up_ratio > 0 && plan.give_up_ratio < kLeastGiveUp) {
    table->error("give_up_ratio",
                 "must be 0 (never) or at least 1.2: noise alone must not drop "
                 "a good candidate");
  }
  table->integer("warm_up_runs", plan.warm_up_runs);
  table->duration("warm_up_seconds", plan.warm_up_seconds);
  table->duration("min_sample_seconds", plan.min_sample_seconds);
  table->duration("max_seconds", plan.max_seconds);
  table->choice("cache", plan.cold_cache, {{"warm", false}, {"cold", true}});
  table->choice("trust", plan.trust,
                {{"usual", search::Trust::kUsual}, {"none", search::Trust::kNone}});
  table->finish();
}

void read_limits(TableReader& root, search::Limits& limits) {
  auto table = root.subtable("limits");
  if (!table) return;
  table->duration("boot", limits.boot);
  table->duration("build", limits.build);
  table->duration("prepare", limits.prepare);
  bool chosen = table->duration("verify", limits.verify);
  chosen = table->duration("measure", limits.measure) || chosen;
  chosen = table->duration("trial", limits.trial) || chosen;
  // Whoever has said how long an evaluation may take has said it for slow ones too.
  if (chosen) limits.times_baseline = 0;
  table->number("times_baseline", limits.times_baseline);
  table->bytes("memory", limits.memory_bytes);
  table->bytes("output", limits.output_bytes);
  table->finish();
}

void read_budget(TableReader& root, search::Budget& budget) {
  auto table = root.subtable("budget");
  if (!table) return;
  table->duration("time", budget.seconds);
  table->duration("simulated", budget.simulated_seconds);
  table->integer("trials", budget.trials);
  table->integer("stall", budget.stall);
  table->finish();
}

void read_search(TableReader& root, search::Problem& problem) {
  search::SchedulingSettings& scheduling = problem.scheduling;
  auto table = root.subtable("search");
  if (!table) return;
  std::string searcher;
  if (table->string("searcher", searcher)) {
    std::vector<std::string> names;
    for (const search::SearcherInfo& info : search::searcher_catalogue()) {
      names.emplace_back(info.name);
    }
    if (std::find(names.begin(), names.end(), searcher) != names.end()) {
      scheduling.searcher = searcher;
    } else {
      table->error("searcher", "must be " + alternatives(names) + ", not " + in_quotes(searcher) +
                                   suggestion(searcher, names));
    }
  }
  table->integer("seed", scheduling.seed);
  for (const char* key : {"starts", "starts_file", "starts_alike"})
    table->take(key);       // see read_named()
  table->take("expected");  // see read_expected()
  table->integer("multiprocessors", scheduling.multiprocessors);
  std::vector<std::string> folders;
  table->strings("warm_start", folders);
  for (const std::string& folder : folders) {
    const auto beside_file = std::filesystem::path(problem.file).parent_path() / folder;
    scheduling.warm_start.push_back(beside_file.lexically_normal().string());
  }
  table->choice("scalarisation", problem.scalarisation,
                {{"weighted", search::Scalarisation::kWeighted},
                 {"efficiency", search::Scalarisation::kEfficiency}});
  table->finish();
}

void read_schedule(TableReader& root, search::SchedulingSettings& scheduling) {
  auto table = root.subtable("schedule");
  if (!table) return;
  table->integer("outstanding", scheduling.outstanding);
  table->integer("builders", scheduling.builders);
  table->choice("normalisation", scheduling.normalisation,
                {{"matrix", search::Normalisation::kMatrix},
                 {"each", search::Normalisation::kEach},
                 {"given", search::Normalisation::kGiven},
                 {"none", search::Normalisation::kNone}});
  const bool given = scheduling.normalisation == search::Normalisation::kGiven;
  if (table->has("given_baseline") != given) {
    table->error(given ? "normalisation" : "given_baseline",
                 given ? "is 'given', so that 'given_baseline' must say the figure that scores "
                         "are relative to"
                       : "belongs to normalisation = 'given'");
  }
  table->number("given_baseline", scheduling.given_baseline);
  table->integer("rebaseline_trials", scheduling.rebaseline_trials);
  table->duration("rebaseline_seconds", scheduling.rebaseline_seconds);
  table->choice("isolation", scheduling.process_per_trial,
                {{"shared", false}, {"per-trial", true}});
  table->integer("hot_spares", scheduling.hot_spares);
  table->integer("cores_per_device", scheduling.cores_per_device);
  table->finish();
}

// One word for most people; every key beside it is set after it.
enum class Confidence : std::uint8_t { kQuick, kStandard, kPublish };

void apply(Confidence confidence, search::AcceptanceSettings& acceptance) {
  if (confidence == Confidence::kQuick) {
    acceptance.level = 0.05;
    acceptance.max_pairs = 32;
    acceptance.self_test_pairs = 0;
    acceptance.hold_out_least = 8;
    acceptance.hold_out_most = 32;
  } else if (confidence == Confidence::kPublish) {
    acceptance.level = 0.001;
    acceptance.max_pairs = 256;
    acceptance.self_test_pairs = 32;
    acceptance.hold_out_least = 32;
    acceptance.hold_out_most = 256;
    acceptance.tail = search::TailRule::kReject;
  }
}

// What no figures could meet. How many devices there are is known when a study starts.
void refuse_what_never_accepts(TableReader& table, const search::AcceptanceSettings& acceptance) {
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
void read_hold_out(TableReader& table, search::AcceptanceSettings& acceptance) {
  int& least = acceptance.hold_out_least;
  int& most = acceptance.hold_out_most;
  const int usual = least;
  table.integer("hold_out_most", most);
  const bool is_short = most > 0 && most < kFewestPairs;
  if (is_short) table.error("hold_out_most", "must be 0 (no hold-out) or at least 4");
  least = std::min(usual, most);
  table.integer("hold_out_least", least);
  if (is_short) return;
  if (least > most) {
    table.error("hold_out_least", "is " + std::to_string(least) + ", more than hold_out_most, " +
                                      std::to_string(most) + ": lower it or raise hold_out_most");
  } else if (most > 0 && least < kFewestPairs) {
    table.error("hold_out_least", "must be at least 4, unless 'hold_out_most' is 0");
  }
}

void read_acceptance(TableReader& root, search::AcceptanceSettings& acceptance) {
  auto table = root.subtable("acceptance");
  if (!table) return;
  auto confidence = Confidence::kStandard;
  table->choice("confidence", confidence,
                {{"quick", Confidence::kQuick},
                 {"standard", Confidence::kStandard},
                 {"publish", Confidence::kPublish}});
  apply(confidence, acceptance);
  table->share("level", acceptance.level);
  table->share("min_improvement", acceptance.min_improvement);
  table->choice("consensus", acceptance.consensus,
                {{"consistent", search::Consensus::kConsistent},
                 {"strict", search::Consensus::kStrict},
                 {"majority", search::Consensus::kMajority},
                 {"fleet", search::Consensus::kFleet}});
  table->integer("majority", acceptance.majority);
  if (acceptance.majority > 0 && acceptance.consensus != search::Consensus::kMajority) {
    table->error("majority", "belongs to consensus = 'majority'");
  }
  table->choice("test", acceptance.test,
                {{"sequential", search::DuelTest::kGroupSequential},
                 {"anytime", search::DuelTest::kAnytime}});
  // The anytime test asks after every pair, which only an e-process bears.
  if (acceptance.test == search::DuelTest::kAnytime &&
      acceptance.consensus == search::Consensus::kFleet) {
    table->error("test",
                 "cannot be 'anytime' with consensus = 'fleet', whose t test over the devices "
                 "does not bear a look after every pair; write test = 'sequential', or "
                 "consensus = 'consistent', 'strict' or 'majority'");
  }
  table->choice("tail", acceptance.tail,
                {{"ignore", search::TailRule::kIgnore},
                 {"report", search::TailRule::kReport},
                 {"reject", search::TailRule::kReject}});
  table->boolean("duels", acceptance.duels);
  table->share("duel_margin", acceptance.duel_margin);
  table->integer("devices", acceptance.devices);
  table->integer("devices_least", acceptance.devices_least);
  table->integer("max_pairs", acceptance.max_pairs);
  refuse_what_never_accepts(*table, acceptance);
  table->share("duel_share", acceptance.duel_share);
  table->integer("self_test_pairs", acceptance.self_test_pairs);
  if (acceptance.self_test_pairs > 0 && acceptance.self_test_pairs < kFewestPairs) {
    table->error("self_test_pairs", "must be 0 (no self-test) or at least 4");
  }
  table->duration("self_test_seconds", acceptance.self_test_seconds);
  read_hold_out(*table, acceptance);
  table->share("finish_margin", acceptance.finish_margin);
  table->share("finish_share", acceptance.finish_share);
  table->integer("front_pairs", acceptance.front_pairs);
  if (acceptance.front_pairs == 1) {
    table->error("front_pairs", "must be 0 (the front is not measured again) or at least 2");
  }
  table->share("front_share", acceptance.front_share);
  table->take("canary");  // read with the baseline
  table->finish();
}

void read_device(TableReader& root, search::Problem& problem) {
  auto table = root.subtable("device");
  if (!table) return;
  search::DeviceSettings& device = problem.device;
  table->integer("clock_mhz", device.clock_mhz);
  table->integer("mem_clock_mhz", device.mem_clock_mhz);
  table->number("power_watts", device.power_watts);
  table->boolean("strict", device.strict);
  if (!search::is_on_gpus(problem)) {
    root.error("device",
               "belongs to problems that run on GPUs: [cuda], and [command] with device = 'gpu'; "
               "around other programs that use a GPU there is `nightshift lock-clocks -- COMMAND`");
  }
  table->finish();
}

}  // namespace

void read_settings(TableReader& root, search::Problem& problem) {
  read_measure(root, problem.sampling);
  read_limits(root, problem.limits);
  read_budget(root, problem.budget);
  read_search(root, problem);
  read_schedule(root, problem.scheduling);
  read_acceptance(root, problem.acceptance);
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

}  // namespace

void settle_budget(search::Problem& problem) {
  settle_limits(problem);
  settle_sampling(problem.sampling, problem.budget.seconds);
}

}  // namespace nightshift::problems
