// bench-accept: how often is an identical, slower or faster kernel accepted, at what cost, and how
// true are the claims of whole studies? Everything runs through the project's own acceptance on
// simulated devices, beside the rules that are in use elsewhere.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/bench/accept/alarms.h"
#include "tools/bench/accept/duel_tables.h"
#include "tools/bench/accept/fronts.h"
#include "tools/bench/accept/landslides.h"
#include "tools/bench/accept/nights.h"
#include "tools/bench/accept/noise.h"
#include "tools/bench/accept/recheck_tables.h"
#include "tools/bench/accept/short_table.h"
#include "tools/bench/accept/study_tables.h"
#include "tools/bench/accept/tables.h"

namespace nightshift::bench {
namespace {

struct Options {
  std::size_t runs = 2000;
  std::size_t studies = 200;
  int proposals = 500;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t seed = 1;
  std::string launch_times;
  std::string only;                       // a part; empty: most
  std::string noise;                      // models whose name contains it
  std::string rule;                       // rules whose name contains it
  search::AcceptanceSettings acceptance;  // of what is simulated whole
  ShortTable short_table;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--runs", options.runs, "duels a cell")->check(CLI::Range(10, 10'000'000));
  app.add_option("--studies", options.studies, "studies a row")->check(CLI::Range(10, 1'000'000));
  app.add_option("--proposals", options.proposals, "of a night; its rows have --studies nights")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--threads", options.threads, "threads")->check(CLI::Range(1, 1024));
  app.add_option("--seed", options.seed, "of everything");
  app.add_option("--launch-times", options.launch_times,
                 "recorded launch times: gpu,repetition,kernel,launch,time_us")
      ->check(CLI::ExistingFile);
  app.add_option("--noise", options.noise, "models whose name contains this");
  const std::map<std::string, search::DuelTest> tests = {
      {"clipped", search::DuelTest::kClipped},
      {"sequential", search::DuelTest::kGroupSequential},
      {"anytime", search::DuelTest::kAnytime}};
  app.add_option("--test", options.acceptance.test, "of duels, but those of --only duels")
      ->transform(CLI::CheckedTransformer(tests));
  app.add_option("--rule", options.rule, "rules whose name contains this");
  app.add_option("--only", options.only, "one part")
      ->check(CLI::IsMember({"duels", "devices", "studies", "nodes", "alarms", "landslides",
                             "front", "short", "recheck", "verify", "nights", "tables"}));
}

void declare_short(CLI::App& app, ShortTable& table) {
  app.add_option("--recording", table.recording,
                 "recorded space: studies of it under a budget of time; with --only short")
      ->check(CLI::ExistingFile);
  app.add_option("--baseline", table.baseline, "one of its configurations, as JSON");
  app.add_option("--plain", table.plain, "one that is compared with what was claimed");
  app.add_option("--start", table.starts, "one that is tried first; repeatable");
  app.add_option("--evaluation-noise", table.short_case.noise, "sd of an evaluation's logarithm");
  app.add_option("--idle", table.short_case.idle,
                 "parameters that do nothing, beside those of a recorded space")
      ->check(CLI::Range(0, 4));
  app.add_option("--finish-margin", table.short_case.acceptance.finish_margin,
                 "of the finishing rounds of a short study; 0: none");
  app.add_option("--seconds", table.short_case.budget, "budget of a short study");
  app.add_option("--evaluation", table.short_case.evaluation, "seconds, of the baseline");
  app.add_option("--overhead", table.short_case.overhead, "seconds of each evaluation beside it");
  app.add_option("--searcher", table.short_case.searcher, "of short studies");
}

std::vector<NoiseModel> models_of(const Options& options) {
  std::vector<NoiseModel> models = simulated_models();
  if (!options.launch_times.empty()) {
    for (NoiseModel& model : recorded_models(options.launch_times)) {
      models.push_back(std::move(model));
    }
  }
  std::erase_if(models, [&](const NoiseModel& model) {
    return model.name.find(options.noise) == std::string::npos;
  });
  if (models.empty()) throw std::runtime_error("no model of noise is called " + options.noise);
  return models;
}

void print_short(const Options& options) {
  ShortTable table = options.short_table;
  if (table.recording.empty()) throw std::runtime_error("--only short needs a --recording");
  table.studies = options.studies;
  table.threads = options.threads;
  table.seed = options.seed;
  table.short_case.acceptance.test = options.acceptance.test;
  short_table(table);
}

void print_tables(const Options& options) {
  const std::string& only = options.only;
  if (only == "short") return print_short(options);
  const std::size_t runs = options.runs, studies = options.studies, threads = options.threads;
  const std::uint64_t seed = options.seed;
  const std::vector<NoiseModel> models = models_of(options);
  const DuelTables of_duels{runs, threads, seed, options.rule, options.acceptance};
  const StudyTables of_studies{studies, threads, seed, options.acceptance};
  const RecheckTables of_rechecks{studies, threads, seed,
                                  options.short_table.short_case.evaluation};
  if (only.empty() || only == "duels") duel_table(models, of_duels);
  if (only.empty() || only == "devices") disagreement_table(models, of_duels);
  if (only.empty() || only == "studies") study_table(models, of_studies);
  if (only == "nodes") node_table(models, of_studies);
  if (only == "landslides") landslide_table({runs, threads, seed, options.acceptance});
  if (only == "front") front_table({studies, threads, seed, options.acceptance});
  if (only == "alarms") alarm_table(models, {runs, threads, seed});
  if (only == "nights") {
    night_table(models, {studies, options.proposals, threads, seed, options.acceptance});
  }
  if (only == "tables") shape_tables(models, {studies, threads, seed});
  if (only == "recheck") recheck_table(models, of_rechecks);
  if (only == "verify") verify_table(models, of_rechecks);
}

}  // namespace
}  // namespace nightshift::bench

int main(int argc, char** argv) {
  using namespace nightshift::bench;
  Options options;
  CLI::App app{"How far acceptance can be trusted, by simulation"};
  declare(app, options);
  declare_short(app, options.short_table);
  CLI11_PARSE(app, argc, argv);
  try {
    print_tables(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-accept: %s\n", error.what());
    return 2;
  }
}
