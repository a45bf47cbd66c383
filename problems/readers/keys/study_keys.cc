#include "problems/readers/keys/study_keys.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "problems/readers/keys/searcher_keys.h"
#include "search/searcher_catalogue.h"

namespace nightshift::problems {
namespace {

constexpr double kMostTimes = 1e9;
constexpr double kShortest = 1e-6;  // seconds; of a limit that must not be zero
constexpr std::int64_t kMostSamples = 1'000'000;

// Where nobody says how many samples there are at most, there are as many as at least.
bool read_most_samples(TableReader& table, search::SamplingPlan& plan) {
  plan.most_samples = std::max(plan.most_samples, plan.samples);
  return table.integer("most_samples", plan.most_samples, plan.samples, kMostSamples);
}

Choice searchers() {
  Choice names;
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    names.words.emplace_back(info.name);
  }
  return names;
}

bool read_warm_start(TableReader& table, search::Problem& problem) {
  std::vector<std::string> folders;
  if (!table.strings("warm_start", folders)) return false;
  for (const std::string& folder : folders) {
    const auto beside_file = std::filesystem::path(problem.file).parent_path() / folder;
    problem.scheduling.warm_start.push_back(beside_file.lexically_normal().string());
  }
  return true;
}

}  // namespace

const Settings<search::SamplingPlan>& measure_settings() {
  using Plan = search::SamplingPlan;
  static const Settings<Plan> settings(
      "measure", "how one configuration is measured once",
      {setting("samples", &Plan::samples, Integer{1, kMostSamples}, "repetitions kept, at least"),
       setting("most_samples", &Plan::most_samples, Integer{1, kMostSamples},
               "repetitions kept, at most; not below samples")
           .by(read_most_samples),
       setting(
           "precision", &Plan::precision, Share{0, 0.5},
           "sampling goes on until half of the 95 % interval is this share of the mean; 0: off"),
       setting("give_up_ratio", &Plan::give_up_ratio,
               OrZero<Number>{
                   {0, kMostTimes}, 1.2, "never", ": noise alone must not drop a good candidate"},
               "a candidate so many times slower than the best is dropped early; 0: never, else "
               "from 1.2"),
       setting("warm_up_runs", &Plan::warm_up_runs, Integer{0, kMostSamples},
               "calls before sampling, at least; unsaid and below a minute of budget: 1"),
       setting("warm_up_seconds", &Plan::warm_up_seconds, Duration{},
               "time before sampling, at least; ten times that, or 0.1 s, at most"),
       setting("min_sample_seconds", &Plan::min_sample_seconds, Duration{},
               "shorter kernels are called several times in a row; 0: never"),
       setting("max_seconds", &Plan::max_seconds, Duration{kShortest},
               "sampling ends then, with three samples at least, or one run of a program; unsaid: "
               "at most 2 % of the budget"),
       setting("cache", &Plan::cold_cache, Words<bool>{{{"warm", false}, {"cold", true}}},
               "cold: the last-level cache is emptied before each sample; absent: cold for [cuda], "
               "else warm")
           .unsaid(),
       setting(
           "trust", &Plan::trust,
           Words<search::Trust>{{{"usual", search::Trust::kUsual}, {"none", search::Trust::kNone}}},
           "none: who wrote the kernel gains by a figure that is better than its work, and all "
           "that can be done about it is done")});
  return settings;
}

const Settings<search::Limits>& limits_settings() {
  using search::Limits;
  static const Settings<Limits> settings(
      "limits", "when a trial is ended as a failure; durations of wall time",
      {setting("boot", &Limits::boot, Duration{kShortest}, "start of an evaluator"),
       setting("build", &Limits::build, Duration{kShortest},
               "a build ahead, and all that one evaluation of a served program compiles")
           .absent(),
       setting("prepare", &Limits::prepare, Duration{kShortest}, "loading it, making its inputs"),
       setting("verify", &Limits::verify, Duration{kShortest}, "checking its answer").absent(),
       setting("measure", &Limits::measure, Duration{kShortest}, "warm-up, and measuring, each")
           .absent(),
       setting("trial", &Limits::trial, Duration{kShortest}, "all of it but the build").absent(),
       setting(
           "times_baseline", &Limits::times_baseline, Number{0, kMostTimes},
           "what is explored or compared may take so many times what the baseline took, at least "
           "3 s; 0: no such limit")
           .absent(", and 0 where verify, measure or trial is set"),
       setting(
           "times_build", &Limits::times_build, Number{0, kMostTimes},
           "the build of a candidate may take so many times what the slowest one before it "
           "took, at least 20 s, and before any ended well a quarter of the budget of time; 0: no "
           "such limit")
           .absent(", and 0 where build is set"),
       setting(
           "memory", &Limits::memory_bytes, Bytes{},
           "address space of a build or a command, e.g. 4GiB; a failure that seems to come of it "
           "names this key; 0: no limit"),
       setting("output", &Limits::output_bytes, Bytes{1},
               "standard output of a command; the rest is cut off")});
  return settings;
}

const Settings<search::Budget>& budget_settings() {
  using search::Budget;
  static const Settings<Budget> settings(
      "budget",
      "when the study ends; without any limit after 10 minutes, a recording after 400 trials",
      {setting("time", &Budget::seconds, Duration{},
               "wall time from when the first configuration can be built; of a recording simulated "
               "time; 0: no limit")
           .unsaid(),
       setting("simulated", &Budget::simulated_seconds, Duration{},
               "simulated time of a recording; 0: no limit"),
       setting("trials", &Budget::trials, Integer{},
               "unique configurations, failures included; 0: no limit")
           .unsaid(),
       setting("stall", &Budget::stall, Integer{},
               "trials in a row without a new best; 0: no limit")});
  return settings;
}

const Settings<search::Problem>& search_settings() {
  using search::Problem;
  using Its = search::SchedulingSettings;
  constexpr auto kIts = &Problem::scheduling;
  static const Settings<Problem> settings(
      "search", "what is tried next",
      {setting("searcher", kIts, &Its::searcher, searchers(), "how proposals are made"),
       elsewhere<Problem>(
           table_key("options",
                     open_table("search.options",
                                "what the searcher is told; `nightshift help searchers` lists the "
                                "options of each",
                                Mixed{"number, or true or false"}, "option NAME of the searcher")))
           .by(read_searcher_options),
       setting("effort", kIts, &Its::effort,
               Words<search::Effort>{{{"none", search::Effort::kNone},
                                      {"quick", search::Effort::kQuick},
                                      {"full", search::Effort::kFull}}},
               "none: the baseline and the starts alone; quick: 60 configurations at most, and 25 "
               "in a row without a new best; full: what the budget allows"),
       setting("seed", kIts, &Its::seed, Integer{}, "the same seed repeats the same proposals"),
       elsewhere<Problem>(table_key(
           "starts",
           open_table("search.starts", "configurations that are tried first, after all defaults",
                      Mixed{"value"}, "of the parameter NAME; else as in the baseline", true))),
       elsewhere<Problem>(
           {"starts_file", Mixed{"file, or a list of files"}, "\"\"",
            "JSON of what was found before, of which the nearest three are tried "
            "first; further files are of related problems, of which the nearest one is tried"}),
       elsewhere<Problem>({"starts_alike", Texts{}, "[]",
                           "expressions over sizes: nearer is where they come out as here"}),
       elsewhere<Problem>({"expected", Mixed{"expression"}, "\"\"",
                           "expression over parameters, sizes and SM_COUNT: what a configuration "
                           "is thought to cost, up to a factor"}),
       setting("multiprocessors", kIts, &Its::multiprocessors, Integer{0, 100'000},
               "SM_COUNT of 'expected'; 0: of the study's first GPU"),
       setting("warm_start", kIts, &Its::warm_start, Texts{},
               "folders of earlier studies to learn from")
           .by(read_warm_start),
       setting("scalarisation", &Problem::scalarisation,
               Words<search::Scalarisation>{{{"weighted", search::Scalarisation::kWeighted},
                                             {"efficiency", search::Scalarisation::kEfficiency}}},
               "how the scores of several objectives become one")});
  return settings;
}

const Settings<search::SchedulingSettings>& schedule_settings() {
  using Its = search::SchedulingSettings;
  using search::Normalisation;
  constexpr double kLeastBaseline = 1e-300;
  static const Settings<Its> settings(
      "schedule",
      "how trials are spread over processes and devices, and what scores are relative to",
      {setting("outstanding", &Its::outstanding, Integer{0, 100'000},
               "trials under way at once; 0: by devices and builders"),
       setting("builders", &Its::builders, Integer{0, 1'000},
               "builder processes; 0: by the cores that are free"),
       setting("normalisation", &Its::normalisation,
               Words<Normalisation>{{{"matrix", Normalisation::kMatrix},
                                     {"each", Normalisation::kEach},
                                     {"given", Normalisation::kGiven},
                                     {"none", Normalisation::kNone}}},
               "scores over the device's baseline interpolated in time, one before each trial, "
               "given_baseline, or the first"),
       setting("given_baseline", &Its::given_baseline, Number{kLeastBaseline},
               "in the primary objective's unit; with \"given\"")
           .unsaid(),
       setting("rebaseline_trials", &Its::rebaseline_trials,
               Integer{0, std::numeric_limits<int>::max()},
               "the baseline again after so many trials of a device; 0: never"),
       setting("rebaseline_seconds", &Its::rebaseline_seconds, Duration{},
               "or after that time; 0: never"),
       setting("isolation", &Its::process_per_trial,
               Words<bool>{{{"shared", false}, {"per-trial", true}}},
               "per-trial: a process for each"),
       setting("hot_spares", &Its::hot_spares, Integer{0, 8},
               "ready evaluators of a device; absent: 2 for GPUs, else 1")
           .unsaid(),
       setting("cores_per_device", &Its::cores_per_device, Integer{1, 10'000},
               "cores of the one CPU device; a [command] has all of them unless this is said")});
  return settings;
}

const Settings<search::DeviceSettings>& device_settings() {
  using Its = search::DeviceSettings;
  constexpr std::int64_t kMostMhz = 100'000;
  constexpr double kMostWatts = 100'000;
  static const Settings<Its> settings(
      "device", "what the GPUs are held at while the study runs; 0: as they are",
      {setting("clock_mhz", &Its::clock_mhz, Integer{0, kMostMhz},
               "clock of the multiprocessors, MHz"),
       setting("mem_clock_mhz", &Its::mem_clock_mhz, Integer{0, kMostMhz},
               "clock of the memory, MHz"),
       setting("power_watts", &Its::power_watts, Number{0, kMostWatts}, "power limit, W"),
       setting("strict", &Its::strict, Truth{}, "measure nothing where that cannot be had")});
  return settings;
}

const ProblemTable* judged_keys() {
  return kept(
      {"judged",
       "sets the kernel's source aside for another one, of which the baseline and one candidate "
       "are compiled, parameters at the baseline's values (`nightshift serve` writes it)",
       false,
       {{"source", Text{"file"}, "",
         "includes whichever kernel the macro NIGHTSHIFT_CANDIDATE says, 0 the problem's own; of "
         "[command] a folder with a folder for each, by its number, where it is built and run",
         Presence::kRequired},
        {"opponent", Integer{0, 1'000'000}, "0", "the number of the baseline"},
        {"candidate", Integer{1, 1'000'000}, "1", "the number of the candidate"},
        {"folders", Texts{}, "[]", "where the included kernels find what they include"}}});
}

}  // namespace nightshift::problems
