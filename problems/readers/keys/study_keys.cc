#include "problems/readers/keys/study_keys.h"

#include <cstdint>
#include <limits>

#include "search/searcher_catalogue.h"

namespace nightshift::problems {
namespace {

constexpr double kMostTimes = 1e9;
constexpr double kShortest = 1e-6;  // seconds; of a limit that must not be zero
constexpr std::int64_t kMostSamples = 1'000'000;

Choice searchers() {
  Choice names;
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    names.words.emplace_back(info.name);
  }
  return names;
}

}  // namespace

const ProblemTable* measure_keys() {
  return kept(
      {"measure",
       "how one configuration is measured once",
       false,
       {{"samples", Integer{1, kMostSamples}, "20", "repetitions kept, at least"},
        {"most_samples", Integer{1, kMostSamples}, "60",
         "repetitions kept, at most; not below samples"},
        {"precision", Share{0, 0.5}, "0.01",
         "sampling goes on until half of the 95 % interval is this share of the mean; 0: off"},
        {"give_up_ratio", Number{0, 1e9}, "3",
         "a candidate so many times slower than the best is dropped early; 0: never, else from "
         "1.2"},
        {"warm_up_runs", Integer{0, kMostSamples}, "3",
         "calls before sampling, at least; unsaid and below a minute of budget: 1"},
        {"warm_up_seconds", Duration{}, "0.01",
         "time before sampling, at least; ten times that at most"},
        {"min_sample_seconds", Duration{}, "5e-5",
         "shorter kernels are repeated in a sample; 0: never"},
        {"max_seconds", Duration{kShortest}, "10",
         "sampling ends then, with three samples at least; unsaid: at most 2 % of the budget"},
        {"cache", Choice{{"warm", "cold"}}, "",
         "cold: the last-level cache is emptied before each sample; absent: cold for [cuda], else "
         "warm"},
        {"trust", Choice{{"usual", "none"}}, "usual",
         "none: who wrote the kernel gains by a figure that is better than its work, and all that "
         "can be done about it is done"}}});
}

const ProblemTable* limits_keys() {
  return kept(
      {"limits",
       "when a trial is ended as a failure; durations of wall time",
       false,
       {{"boot", Duration{kShortest}, "60", "start of an evaluator"},
        {"build", Duration{kShortest}, "120", "compiling a configuration"},
        {"prepare", Duration{kShortest}, "30", "loading it, making its inputs"},
        {"verify", Duration{kShortest}, "", "checking its answer; absent: 60"},
        {"measure", Duration{kShortest}, "", "warm-up, and measuring, each; absent: 60"},
        {"trial", Duration{kShortest}, "", "all of it but the build; absent: 300"},
        {"times_baseline", Number{0, kMostTimes}, "",
         "of an exploration: times what the baseline took there, at least 3 s; 0: no such limit; "
         "absent: 20, and 0 where verify, measure or trial is set"},
        {"memory", Bytes{}, "0", "address space of a build or a command; 0: no limit"},
        {"output", Bytes{1}, "\"1MiB\"", "standard output of a command; the rest is cut off"}}});
}

const ProblemTable* budget_keys() {
  return kept(
      {"budget",
       "when the study ends; without any limit after 10 minutes, a recording after 400 trials",
       false,
       {{"time", Duration{}, "", "wall time; of a recording simulated time; 0: no limit"},
        {"simulated", Duration{}, "0", "simulated time of a recording; 0: no limit"},
        {"trials", Integer{}, "", "unique configurations, failures included; 0: no limit"},
        {"stall", Integer{}, "0", "trials in a row without a new best; 0: no limit"}}});
}

const ProblemTable* search_keys() {
  const ProblemTable* starts =
      open_table("search.starts", "configurations that are tried first, after all defaults",
                 Mixed{"value"}, "of the parameter NAME; else as in the baseline", true);
  return kept(
      {"search",
       "what is tried next",
       false,
       {{"searcher", searchers(), "\"auto\"", "how proposals are made"},
        {"seed", Integer{}, "1", "the same seed repeats the same proposals"},
        table_key("starts", starts),
        {"starts_file", Mixed{"file, or a list of files"}, "\"\"",
         "JSON of what was found before, of which the nearest three are tried first; further "
         "files are of related problems"},
        {"starts_alike", Texts{}, "[]",
         "expressions over sizes: nearer is where they come out as here"},
        {"expected", Mixed{"expression"}, "\"\"",
         "expression over parameters and sizes: what a configuration is thought to cost, up to a "
         "factor"},
        {"multiprocessors", Integer{0, 100'000}, "0",
         "SM_COUNT of 'expected'; 0: of the study's first GPU"},
        {"warm_start", Texts{}, "[]", "folders of earlier studies to learn from"},
        {"scalarisation", Choice{{"weighted", "efficiency"}}, "\"weighted\"",
         "how the scores of several objectives become one"}}});
}

const ProblemTable* schedule_keys() {
  constexpr double kLeastBaseline = 1e-300;
  return kept(
      {"schedule",
       "how trials are spread over processes and devices, and what scores are relative to",
       false,
       {{"outstanding", Integer{0, 100'000}, "0",
         "trials under way at once; 0: by devices and builders"},
        {"builders", Integer{0, 1'000}, "0", "builder processes; 0: by the cores that are free"},
        {"normalisation", Choice{{"matrix", "each", "given", "none"}}, "\"matrix\"",
         "scores over the device's baseline interpolated in time, one before each trial, "
         "given_baseline, or the first"},
        {"given_baseline", Number{kLeastBaseline}, "",
         "in the primary objective's unit; with \"given\""},
        {"rebaseline_trials", Integer{0, std::numeric_limits<int>::max()}, "16",
         "the baseline again after so many trials of a device; 0: never"},
        {"rebaseline_seconds", Duration{}, "120", "or after that time; 0: never"},
        {"isolation", Choice{{"shared", "per-trial"}}, "\"shared\"",
         "per-trial: a process for each"},
        {"hot_spares", Integer{0, 8}, "",
         "ready evaluators of a device; absent: 2 for GPUs, else 1"},
        {"cores_per_device", Integer{1, 10'000}, "1",
         "cores of the one CPU device; a [command] has all of them unless this is said"}}});
}

const ProblemTable* acceptance_keys() {
  const ProblemTable* canary = open_table(
      "acceptance.canary", "a configuration that is known to be slower, and must turn out so",
      Mixed{"value"}, "of the parameter NAME; else as in the baseline");
  return kept(
      {"acceptance",
       "what makes an improvement a claim; confidence sets several keys, those beside it win",
       false,
       {{"confidence", Choice{{"quick", "standard", "publish"}}, "\"standard\"",
         "quick: 5 %, 32 pairs, no self-test; publish: 0.1 %, 256 pairs, worse tails refused"},
        {"level", Share{1e-9, 0.5}, "0.01", "one-sided error of each duel and of the claim"},
        {"min_improvement", Share{0, 0.99}, "0.005", "smallest gain that is worth accepting"},
        {"consensus", Choice{{"consistent", "strict", "majority", "fleet"}}, "\"consistent\"",
         "mean better and no device against it; each device alone; on so many; devices as a "
         "sample"},
        {"majority", Integer{0, 100'000}, "0", "devices for \"majority\"; 0: more than half"},
        {"test", Choice{{"sequential", "anytime"}}, "\"sequential\"",
         "looks after 8, 16, 32 ... pairs, or after every pair (an e-process; not with fleet)"},
        {"tail", Choice{{"ignore", "report", "reject"}}, "\"report\"",
         "typical time better, p95 worse"},
        {"duels", Truth{}, "true", "false: nothing is confirmed, and so nothing is accepted"},
        {"duel_margin", Share{0, 0.99}, "0",
         "what was explored as worse than the incumbent by less meets it in a duel too"},
        {"devices", Integer{0, 100'000}, "0", "that take part in a duel; 0: four"},
        {"devices_least", Integer{1, 100'000}, "1",
         "devices that must have judged the claim; fewer: none"},
        {"max_pairs", Integer{8, 1'000'000}, "128", "of a duel on all its devices"},
        {"duel_share", Share{0, 1}, "0.35",
         "of the measured time while searching on time; 1: no limit"},
        {"self_test_pairs", Integer{0, 10'000}, "16",
         "baseline against itself on each device; 0: none, else from 4"},
        {"self_test_seconds", Duration{1}, "7200", "until the self-test is repeated"},
        {"hold_out_most", Integer{0, 1'000'000}, "128",
         "pairs on each device for the claim; 0: no hold-out"},
        {"hold_out_least", Integer{0, 1'000'000}, "12", "at least; from 4 to hold_out_most"},
        {"finish_margin", Share{0, 0.5}, "0.003",
         "parameters go back to the baseline's values where that costs less; 0: none does"},
        {"finish_share", Share{0, 1}, "0.1", "of the budget of time, for that; at most"},
        {"front_pairs", Integer{0, 10'000}, "4",
         "of each member of a Pareto front with the baseline; 0: none"},
        {"front_share", Share{0, 1}, "0.15", "of the budget of time, for that; at most"},
        table_key("canary", canary)}});
}

const ProblemTable* device_keys() {
  constexpr std::int64_t kMostMhz = 100'000;
  constexpr double kMostWatts = 100'000;
  return kept({"device",
               "what the GPUs are held at while the study runs; 0: as they are",
               false,
               {{"clock_mhz", Integer{0, kMostMhz}, "0", "clock of the multiprocessors, MHz"},
                {"mem_clock_mhz", Integer{0, kMostMhz}, "0", "clock of the memory, MHz"},
                {"power_watts", Number{0, kMostWatts}, "0", "power limit, W"},
                {"strict", Truth{}, "false", "measure nothing where that cannot be had"}}});
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
