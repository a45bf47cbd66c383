#include "search/figures/own_figure.h"

#include <algorithm>

namespace nightshift::search {

const std::vector<OwnFigureRule>& own_figure_rules() {
  constexpr auto kLess = Direction::kMinimise;
  constexpr auto kMore = Direction::kMaximise;
  const FigureUnits none;
  const FigureUnits number = {{"", 1}};
  const FigureUnits bytes = {{"B", 1}};
  const FigureUnits bytes_of_file = {{"B", 1}, {"KiB", 1.0 / 1024}};
  const FigureUnits memory = {{"MiB", 0x1p-20}, {"KiB", 0x1p-10}, {"GiB", 0x1p-30}, {"B", 1}};
  const FigureUnits of_call = {{"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}, {"s", 1}};
  const FigureUnits of_launch = {{"us", 1e6}, {"ns", 1e9}, {"ms", 1e3}, {"s", 1}};
  const FigureUnits of_build = {{"s", 1}, {"ms", 1e3}};
  const FigureUnits rate = {{"GB/s", 1e-9}, {"TB/s", 1e-12}};
  const FigureUnits work = {{"GFLOP/s", 1e-9}, {"TFLOP/s", 1e-12}};
  const FigureUnits energy = {{"mJ", 1e3}, {"J", 1}};
  static const std::vector<OwnFigureRule> rules = {
      // Of a program it is the source "wall-time", whose unit its objective has to say.
      {"time", OwnFigure::kTime, kLess, of_call, none, of_launch},
      {"instructions", OwnFigure::kInstructions, kLess, number, number, none},
      {"cycles", OwnFigure::kCycles, kLess, number, number, none},
      {"cache_misses", OwnFigure::kCacheMisses, kLess, number, number, none},
      {"branch_misses", OwnFigure::kBranchMisses, kLess, number, number, none},
      {"bandwidth", OwnFigure::kBandwidth, kMore, none, none, rate},
      {"compute", OwnFigure::kCompute, kMore, none, none, work},
      {"ceiling", OwnFigure::kCeiling, kMore, none, none, {{"%", 100}}},
      {"energy", OwnFigure::kEnergy, kLess, energy, energy, energy},
      {"power", OwnFigure::kPower, kLess, none, none, {{"W", 1}}},
      {"registers", OwnFigure::kRegisters, kLess, none, none, number},
      {"spills", OwnFigure::kSpills, kLess, none, none, bytes},
      {"shared_memory", OwnFigure::kSharedMemory, kLess, none, none, bytes},
      {"binary_size", OwnFigure::kBinarySize, kLess, bytes_of_file, bytes_of_file, bytes},
      {"build_time", OwnFigure::kBuildTime, kLess, of_build, of_build, of_build},
      {"error", OwnFigure::kError, kLess, number, none, number},
      {"peak_memory", OwnFigure::kPeakMemory, kLess, none, memory, none},
  };
  return rules;
}

// They stand in the order of the enumeration.
const OwnFigureRule& rule_of(OwnFigure figure) {
  return own_figure_rules().at(static_cast<std::size_t>(figure));
}

const OwnFigureRule* find_own_figure(std::string_view name, FigureUnits OwnFigureRule::*backend) {
  const auto& rules = own_figure_rules();
  const auto found = std::ranges::find(rules, name, &OwnFigureRule::name);
  return found == rules.end() || ((*found).*backend).empty() ? nullptr : &*found;
}

std::vector<std::string> own_figure_names(FigureUnits OwnFigureRule::*backend) {
  std::vector<std::string> names;
  for (const OwnFigureRule& rule : own_figure_rules()) {
    if (!(rule.*backend).empty()) names.emplace_back(rule.name);
  }
  return names;
}

std::optional<double> per_base_unit(const FigureUnits& units, std::string_view unit) {
  const auto found = std::ranges::find(units, unit, &FigureUnit::name);
  return found == units.end() ? std::nullopt : std::optional(found->per_base_unit);
}

}  // namespace nightshift::search
