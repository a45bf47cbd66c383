#include "tools/bench/accept/duel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/parallel.h"
#include "base/rng.h"
#include "tools/bench/accept/duels.h"

namespace nightshift::bench {
namespace {

constexpr double kGains[] = {0, -0.01, 0.01, 0.02, 0.05};

double effect_of(double gain) { return -std::log1p(-gain); }

std::string percent(const Cell& cell) {
  return fmt::format("{:5.2f} +- {:.2f}", 100 * cell.accepted, 100 * cell.accepted_error);
}

template <class Decide>
Cell repeated(const DuelTables& tables, Decide decide) {
  std::vector<Decision> decisions(tables.runs);
  base::in_parallel(tables.runs, tables.threads, [&](std::size_t run) {
    decisions[run] = decide(base::mix_seed(tables.seed, run));
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
    {"nightshift anytime, 1 device", 1, search::DuelTest::kAnytime, search::Consensus::kConsistent},
    {"nightshift anytime, 4 devices", 4, search::DuelTest::kAnytime,
     search::Consensus::kConsistent},
    {"nightshift strict, 4 devices", 4, search::DuelTest::kClipped, search::Consensus::kStrict},
    {"nightshift strict sequential, 4 devices", 4, search::DuelTest::kGroupSequential,
     search::Consensus::kStrict}};

void print_ours(const NoiseModel& model, const Ours& ours, const DuelTables& tables) {
  search::AcceptanceSettings settings;
  settings.test = ours.test;
  settings.consensus = ours.consensus;
  std::vector<Cell> cells;
  for (const double gain : kGains) {
    const std::vector<double> effects(static_cast<std::size_t>(ours.devices), effect_of(gain));
    cells.push_back(
        repeated(tables, [&](std::uint64_t seed) { return duel(model, effects, settings, seed); }));
  }
  print_rule(ours.name, cells);
}

void print_rival(const NoiseModel& model, const Rival& rival, const DuelTables& tables) {
  std::vector<Cell> cells;
  for (const double gain : kGains) {
    cells.push_back(repeated(tables, [&](std::uint64_t seed) {
      NoisyDevice device(model, 0, seed);
      return rival.decide(device, effect_of(gain));
    }));
  }
  print_rule(rival.name, cells);
}

}  // namespace

void duel_table(const std::vector<NoiseModel>& models, const DuelTables& tables) {
  std::printf("Duels, %zu a cell: accepted in percent (+- standard error), then mean evaluations\n",
              tables.runs);
  const auto wanted = [&](const std::string& name) {
    return name.find(tables.rule) != std::string::npos;
  };
  for (const NoiseModel& model : models) {
    std::printf("%s%*s identical     1 %% slower     +1 %%           +2 %%           +5 %%\n",
                model.name.c_str(), static_cast<int>(44 - model.name.size()), "");
    for (const Ours& ours : kOurs) {
      if (wanted(ours.name)) print_ours(model, ours, tables);
    }
    for (const Rival& rival : rivals()) {
      if (wanted(rival.name)) print_rival(model, rival, tables);
    }
  }
}

void disagreement_table(const std::vector<NoiseModel>& models, const DuelTables& tables) {
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
        search::AcceptanceSettings settings = tables.acceptance;
        settings.consensus = consensus;
        const Cell cell = repeated(
            tables, [&](std::uint64_t seed) { return duel(models[m], effects, settings, seed); });
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

}  // namespace nightshift::bench
