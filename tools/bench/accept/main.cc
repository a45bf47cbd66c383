// bench-accept: how often is an identical, slower or faster kernel accepted, at what cost, and how
// true are the claims of whole studies? Everything runs through the project's own acceptance on
// simulated devices, beside the rules that are in use elsewhere.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "search/statistics/summary.h"
#include "tools/bench/accept/alarms.h"
#include "tools/bench/accept/duels.h"
#include "tools/bench/accept/fronts.h"
#include "tools/bench/accept/landslides.h"
#include "tools/bench/accept/nights.h"
#include "tools/bench/accept/noise.h"
#include "tools/bench/accept/recheck_tables.h"
#include "tools/bench/accept/short_studies.h"
#include "tools/bench/accept/studies.h"
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
  std::string only;                 // a part; empty: most
  std::string noise;                // models whose name contains it
  std::string rule;                 // rules whose name contains it
  std::string recording;            // of short studies
  std::string baseline, plain;      // configurations of it, as JSON
  std::vector<std::string> starts;  // likewise
  ShortCase short_case;
  search::AcceptanceSettings acceptance;  // of what is simulated whole
};

constexpr double kGains[] = {0, -0.01, 0.01, 0.02, 0.05};

double effect_of(double gain) { return -std::log1p(-gain); }

std::string percent(const Cell& cell) {
  return fmt::format("{:5.2f} +- {:.2f}", 100 * cell.accepted, 100 * cell.accepted_error);
}

template <class Decide>
Cell repeated(const Options& options, Decide decide) {
  std::vector<Decision> decisions(options.runs);
  base::in_parallel(options.runs, options.threads, [&](std::size_t run) {
    decisions[run] = decide(base::mix_seed(options.seed, run));
  });
  return cell_of(decisions);
}

void print_rule(const std::string& name, const std::vector<Cell>& cells) {
  std::string line = fmt::format("  {:<42}", name);
  for (const Cell& cell : cells) line += fmt::format(" {:>14}", percent(cell));
  line += " ";
  for (const Cell& cell : cells) line += fmt::format(" {:5.0f}", cell.evaluations);
  std::puts(line.c_str());
  std::fflush(stdout);
}

void duels(const Options& options, const std::vector<NoiseModel>& models) {
  std::printf("Duels, %zu a cell: accepted in percent (+- standard error), then mean evaluations\n",
              options.runs);
  for (const NoiseModel& model : models) {
    std::printf("%s%*s identical     1 %% slower     +1 %%           +2 %%           +5 %%\n",
                model.name.c_str(), static_cast<int>(44 - model.name.size()), "");
    struct Ours {
      const char* name;
      int devices;
      search::DuelTest test;
      search::Consensus consensus;
    };
    constexpr Ours kOurs[] = {
        {"nightshift, 1 device", 1, search::DuelTest::kClipped, search::Consensus::kConsistent},
        {"nightshift, 4 devices", 4, search::DuelTest::kClipped, search::Consensus::kConsistent},
        {"nightshift sequential, 1 device", 1, search::DuelTest::kGroupSequential,
         search::Consensus::kConsistent},
        {"nightshift sequential, 4 devices", 4, search::DuelTest::kGroupSequential,
         search::Consensus::kConsistent},
        {"nightshift anytime, 1 device", 1, search::DuelTest::kAnytime,
         search::Consensus::kConsistent},
        {"nightshift anytime, 4 devices", 4, search::DuelTest::kAnytime,
         search::Consensus::kConsistent},
        {"nightshift strict, 4 devices", 4, search::DuelTest::kClipped, search::Consensus::kStrict},
        {"nightshift strict sequential, 4 devices", 4, search::DuelTest::kGroupSequential,
         search::Consensus::kStrict}};
    const auto wanted = [&](const std::string& name) {
      return name.find(options.rule) != std::string::npos;
    };
    for (const Ours& ours : kOurs) {
      if (!wanted(ours.name)) continue;
      search::AcceptanceSettings settings;
      settings.test = ours.test;
      settings.consensus = ours.consensus;
      std::vector<Cell> cells;
      for (const double gain : kGains) {
        const std::vector<double> effects(static_cast<std::size_t>(ours.devices), effect_of(gain));
        cells.push_back(repeated(
            options, [&](std::uint64_t seed) { return duel(model, effects, settings, seed); }));
      }
      print_rule(ours.name, cells);
    }
    for (const Rival& rival : rivals()) {
      if (!wanted(rival.name)) continue;
      std::vector<Cell> cells;
      for (const double gain : kGains) {
        cells.push_back(repeated(options, [&](std::uint64_t seed) {
          NoisyDevice device(model, 0, seed);
          return rival.decide(device, effect_of(gain));
        }));
      }
      print_rule(rival.name, cells);
    }
  }
}

void disagreeing(const Options& options, const std::vector<NoiseModel>& models) {
  std::puts("\nOne of four devices disagrees: accepted in percent");
  const std::vector<std::vector<double>> cases = {{0.05, 0.05, 0.05, -0.01},
                                                  {0.02, 0.02, 0.02, -0.02},
                                                  {0.05, 0, 0, 0},
                                                  {0.03, 0.02, 0.01, 0.005},
                                                  {0.02, 0.02, 0.02, 0.02}};
  for (const auto& gains : cases) {
    std::string name, line;
    std::vector<double> effects;
    for (const double gain : gains) {
      name += fmt::format("{:+g} ", 100 * gain);
      effects.push_back(effect_of(gain));
    }
    for (std::size_t m = 0; m < std::min<std::size_t>(models.size(), 3); ++m) {
      for (const auto consensus : {search::Consensus::kConsistent, search::Consensus::kStrict}) {
        search::AcceptanceSettings settings = options.acceptance;
        settings.consensus = consensus;
        const Cell cell = repeated(
            options, [&](std::uint64_t seed) { return duel(models[m], effects, settings, seed); });
        line += fmt::format(
            "  {} {:>14}",
            consensus == search::Consensus::kStrict ? "strict" : models[m].name + ": consistent",
            percent(cell));
      }
    }
    std::printf("  %-18s%s\n", name.c_str(), line.c_str());
    std::fflush(stdout);
  }
}

template <class Run>
void print_studies(const char* name, const StudyCase& c, const Options& options, Run run) {
  std::vector<StudyResult> results(options.studies);
  base::in_parallel(options.studies, options.threads, [&](std::size_t i) {
    results[i] = run(c, base::mix_seed(options.seed + 7, i));
  });
  std::vector<double> claimed_minus_true, evaluations, chosen, best, regret;
  double claims = 0, false_claims = 0, duels = 0, pairs = 0;
  for (const StudyResult& r : results) {
    duels += r.duels.duels;
    pairs += r.duels.pairs;
    evaluations.push_back(r.evaluations);
    best.push_back(100 * r.best_gain);
    chosen.push_back(100 * r.true_gain);
    regret.push_back(std::exp(r.best_gain - r.true_gain));
    if (!r.claimed) continue;
    ++claims;
    if (!(r.true_gain > 0)) ++false_claims;
    claimed_minus_true.push_back(100 * (r.claimed_gain - r.true_gain));
  }
  const double n = static_cast<double>(results.size());
  const double share = false_claims / n;
  std::printf(
      "  %-12s %-10s claims %5.1f %%, without a gain %5.2f +- %.2f %%; claimed minus true %+6.3f "
      "+- "
      "%.3f; true gain %5.2f of %5.2f %%, regret %.4f; evaluations %5.0f; %.1f pairs a duel\n",
      c.model->name.c_str(), name, 100 * claims / n, 100 * share,
      100 * std::sqrt(share * (1 - share) / n), search::mean_of(claimed_minus_true),
      search::sd_of(claimed_minus_true) /
          std::sqrt(std::max<double>(1, static_cast<double>(claimed_minus_true.size()))),
      search::mean_of(chosen), search::mean_of(best), search::mean_of(regret),
      search::mean_of(evaluations), pairs / std::max(duels, 1.0));
  std::fflush(stdout);
}

void studies(const Options& options, const std::vector<NoiseModel>& models) {
  const std::pair<Effects, const char*> kinds[] = {
      {Effects::kNone, "all 400 candidates equal to the baseline"},
      {Effects::kMixed, "300 candidates, 7 % of them better by 1 to 6 %"},
      {Effects::kSmall, "300 candidates, 7 % of them better by 0.5 to 2 %"}};
  for (const auto& [effects, words] : kinds) {
    std::printf("\nStudies (%zu a row), %s\n", options.studies, words);
    for (const NoiseModel& model : models) {
      StudyCase c;
      c.model = &model;
      c.acceptance = options.acceptance;
      c.effects = effects;
      c.candidates = effects == Effects::kNone ? 400 : 300;
      print_studies("nightshift", c, options, tuned);
      if (effects == Effects::kMixed) {
        c.drift_at_half = 0.05;
        print_studies("drifts 5 %", c, options, tuned);
        c.drift_at_half = 0;
      }
      print_studies("100 + 100", c, options, gated);
    }
  }
}

// Nodes that differ, and drift each on its own.
void nodes(const Options& options, const std::vector<NoiseModel>& models) {
  struct Row {
    const char* words;
    Effects effects;
    double worse_on_last;
  };
  constexpr Row kRows[] = {
      {"all 400 candidates equal to the baseline", Effects::kNone, 0},
      {"300 candidates, 7 % of them better by 1 to 6 %", Effects::kMixed, 0},
      {"the same, but each of those 1 % worse on the last node", Effects::kMixed, 0.01}};
  for (const Row& row : kRows) {
    std::printf("\n4 nodes that differ by 5 %% and drift by 5 %% (%zu studies a row), %s\n",
                options.studies, row.words);
    for (const NoiseModel& model : models) {
      StudyCase c;
      c.model = &model;
      c.acceptance = options.acceptance;
      c.effects = row.effects;
      c.candidates = row.effects == Effects::kNone ? 400 : 300;
      c.devices = 4;
      c.spread = c.own_drift = 0.05;
      c.worse_on_last = row.worse_on_last;
      print_studies("4 nodes", c, options, tuned);
    }
  }
}

search::Configuration configuration_of(const std::string& json) {
  search::Configuration configuration;
  const auto parsed = nlohmann::ordered_json::parse(json);
  for (const auto& [name, value] : parsed.items()) {
    if (value.is_string()) {
      configuration.set(name, value.get<std::string>());
    } else if (value.is_number_integer()) {
      configuration.set(name, value.get<std::int64_t>());
    } else {
      configuration.set(name, value.get<double>());
    }
  }
  return configuration;
}

struct ShortRow {
  std::vector<double> claims, wrong, truth, gap, evaluations, explored, longest, duels, pairs;
};

void print_short(const ShortRow& row, double plain, double best, std::size_t studies) {
  const auto percent = [](const std::vector<double>& share) {
    return 100 * search::mean_of(share);
  };
  std::printf(
      "  %zu studies: claims %.1f %%, without a gain %.2f %%; explored %.0f of %.0f "
      "evaluations, the longest duel %.1f %% of the time (largest %.1f %%); %.1f duels of %.1f "
      "pairs\n",
      studies, percent(row.claims), percent(row.wrong), search::mean_of(row.explored),
      search::mean_of(row.evaluations), percent(row.longest),
      100 * *std::ranges::max_element(row.longest), search::mean_of(row.duels),
      search::mean_of(row.pairs) / std::max(search::mean_of(row.duels), 1e-9));
  std::printf(
      "  true time of what was claimed over the baseline's: mean %.3f, median %.3f, worst "
      "%.3f; the best recorded %.3f\n",
      search::mean_of(row.truth), search::median_of(row.truth),
      *std::ranges::max_element(row.truth), best);
  std::printf("  claimed minus true gain %+.2f +- %.2f points\n", 100 * search::mean_of(row.gap),
              100 * search::sd_of(row.gap) / std::sqrt(static_cast<double>(row.gap.size())));
  if (!(plain > 0)) return;
  const auto behind = std::ranges::count_if(row.truth, [&](double t) { return t > 1.01 * plain; });
  std::printf(
      "  over the plain line's (%.3f): mean %.3f, worst %.3f; slower by more than 1 %% in "
      "%.1f %%\n",
      plain, search::mean_of(row.truth) / plain, *std::ranges::max_element(row.truth) / plain,
      100 * static_cast<double>(behind) / static_cast<double>(row.truth.size()));
}

void print_finishing(const std::vector<ShortResult>& results) {
  double won = 0, changed = 0, back = 0, simpler = 0, slower = 0, evaluations = 0, worst = 1;
  for (const ShortResult& r : results) {
    evaluations += r.finishing;
    if (r.changed == 0) continue;
    ++won;
    changed += r.changed;
    back += r.went_back;
    simpler += r.went_back > 0 ? 1 : 0;
    slower += r.finished_ratio > 1.003 ? 1 : 0;
    worst = std::max(worst, r.finished_ratio);
  }
  if (won == 0) return;
  std::printf(
      "  finishing rounds: of %.1f changed parameters %.1f went back, in %.1f %% of %.0f winners; "
      "slower than the winner by more than 0.3 %% in %.2f %%, worst %+.2f %%; %.0f evaluations a "
      "study\n",
      changed / won, back / won, 100 * simpler / won, won, 100 * slower / won, 100 * (worst - 1),
      evaluations / static_cast<double>(results.size()));
}

void short_studies(const Options& options) {
  const auto recording = problems::RecordedSpace::read(options.recording);
  ShortCase c = options.short_case;
  c.acceptance.test = options.acceptance.test;
  c.recording = &recording;
  c.baseline = options.baseline.empty() ? recording.first_working()->configuration
                                        : configuration_of(options.baseline);
  for (const std::string& start : options.starts) c.starts.push_back(configuration_of(start));
  const auto base = recorded_time(recording, c.baseline);
  if (!base) throw std::runtime_error("the baseline is not among what was recorded");
  double best = 1, plain = 0;
  for (const problems::RecordedTrial& trial : recording.trials()) {
    if (const auto t = recorded_time(recording, trial.configuration))
      best = std::min(best, *t / *base);
  }
  if (!options.plain.empty()) {
    plain = recorded_time(recording, configuration_of(options.plain)).value() / *base;
  }
  std::vector<ShortResult> results(options.studies);
  base::in_parallel(options.studies, options.threads, [&](std::size_t i) {
    results[i] = short_study(c, base::mix_seed(options.seed + 11, i));
  });
  ShortRow row;
  for (const ShortResult& r : results) {
    row.claims.push_back(r.claimed ? 1 : 0);
    row.wrong.push_back(r.claimed && r.true_ratio >= 1 ? 1 : 0);
    row.truth.push_back(r.true_ratio);
    if (r.claimed) row.gap.push_back(r.true_ratio - r.ratio);
    row.evaluations.push_back(r.evaluations);
    row.explored.push_back(r.explored);
    row.longest.push_back(r.longest_duel);
    row.duels.push_back(r.duels.duels);
    row.pairs.push_back(r.duels.pairs);
  }
  std::printf(
      "\nShort studies of %s, %g s, %g s an evaluation and %g s around it, %g %% of noise\n",
      recording.kernel_name().c_str(), c.budget, c.evaluation, c.overhead, 100 * c.noise);
  print_short(row, plain, best, options.studies);
  print_finishing(results);
}

}  // namespace
}  // namespace nightshift::bench

int main(int argc, char** argv) {
  using namespace nightshift::bench;
  namespace search = nightshift::search;
  Options options;
  CLI::App app{"How far acceptance can be trusted, by simulation"};
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
  app.add_option("--recording", options.recording,
                 "recorded space: studies of it under a budget of time; with --only short")
      ->check(CLI::ExistingFile);
  app.add_option("--baseline", options.baseline, "one of its configurations, as JSON");
  app.add_option("--plain", options.plain, "one that is compared with what was claimed");
  app.add_option("--start", options.starts, "one that is tried first; repeatable");
  app.add_option("--evaluation-noise", options.short_case.noise, "sd of an evaluation's logarithm");
  app.add_option("--idle", options.short_case.idle,
                 "parameters that do nothing, beside those of a recorded space")
      ->check(CLI::Range(0, 4));
  app.add_option("--finish-margin", options.short_case.acceptance.finish_margin,
                 "of the finishing rounds of a short study; 0: none");
  app.add_option("--seconds", options.short_case.budget, "budget of a short study");
  app.add_option("--evaluation", options.short_case.evaluation, "seconds, of the baseline");
  app.add_option("--overhead", options.short_case.overhead, "seconds of each evaluation beside it");
  app.add_option("--searcher", options.short_case.searcher, "of short studies");
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.only == "short") {
      if (options.recording.empty()) throw std::runtime_error("--only short needs a --recording");
      short_studies(options);
      return 0;
    }
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
    if (options.only.empty() || options.only == "duels") duels(options, models);
    if (options.only.empty() || options.only == "devices") disagreeing(options, models);
    if (options.only.empty() || options.only == "studies") studies(options, models);
    if (options.only == "nodes") nodes(options, models);
    if (options.only == "landslides") {
      landslide_table({options.runs, options.threads, options.seed, options.acceptance});
    }
    if (options.only == "front") {
      front_table({options.studies, options.threads, options.seed, options.acceptance});
    }
    if (options.only == "alarms") {
      alarm_table(models, {options.runs, options.threads, options.seed});
    }
    if (options.only == "nights") {
      night_table(models, {options.studies, options.proposals, options.threads, options.seed,
                           options.acceptance});
    }
    if (options.only == "tables") {
      shape_tables(models, {options.studies, options.threads, options.seed});
    }
    const RecheckTables tables{options.studies, options.threads, options.seed,
                               options.short_case.evaluation};
    if (options.only == "recheck") recheck_table(models, tables);
    if (options.only == "verify") verify_table(models, tables);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-accept: %s\n", error.what());
    return 2;
  }
}
