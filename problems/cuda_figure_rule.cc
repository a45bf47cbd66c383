#include "problems/cuda_figure_rule.h"

#include <algorithm>
#include <stdexcept>

namespace nightshift::problems {

using search::CudaFigure;

const FigureUnit* CudaFigureRule::find_unit(std::string_view unit) const {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.name == unit; });
  return found == units.end() ? nullptr : &*found;
}

const std::vector<CudaFigureRule>& cuda_figure_rules() {
  constexpr auto kLess = search::Direction::kMinimise;
  constexpr auto kMore = search::Direction::kMaximise;
  static const std::vector<CudaFigureRule> rules = {
      {"time", CudaFigure::kTime, kLess, {{"us", 1e6}, {"ns", 1e9}, {"ms", 1e3}, {"s", 1}}},
      {"bandwidth", CudaFigure::kBandwidth, kMore, {{"GB/s", 1e-9}, {"TB/s", 1e-12}}},
      {"compute", CudaFigure::kCompute, kMore, {{"GFLOP/s", 1e-9}, {"TFLOP/s", 1e-12}}},
      {"ceiling", CudaFigure::kCeiling, kMore, {{"%", 100}}},
      {"energy", CudaFigure::kEnergy, kLess, {{"mJ", 1e3}, {"J", 1}}},
      {"power", CudaFigure::kPower, kLess, {{"W", 1}}},
      {"registers", CudaFigure::kRegisters, kLess, {{"", 1}}},
      {"spills", CudaFigure::kSpills, kLess, {{"B", 1}}},
      {"shared_memory", CudaFigure::kSharedMemory, kLess, {{"B", 1}}},
      {"binary_size", CudaFigure::kBinarySize, kLess, {{"B", 1}}},
      {"build_time", CudaFigure::kBuildTime, kLess, {{"s", 1}, {"ms", 1e3}}},
      {"error", CudaFigure::kError, kLess, {{"", 1}}},
  };
  return rules;
}

const CudaFigureRule* find_cuda_figure_rule(std::string_view name) {
  const auto& rules = cuda_figure_rules();
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return r.name == name; });
  return found == rules.end() ? nullptr : &*found;
}

double units_per_base(CudaFigure figure, const std::string& unit) {
  for (const CudaFigureRule& rule : cuda_figure_rules()) {
    if (rule.figure != figure) continue;
    if (const FigureUnit* known = rule.find_unit(unit)) return known->per_base_unit;
  }
  throw std::runtime_error("this figure of a CUDA kernel cannot be given in '" + unit + "'");
}

}  // namespace nightshift::problems
