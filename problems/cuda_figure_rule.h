#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/objective.h"
#include "search/problem.h"

namespace nightshift::problems {

struct FigureUnit {
  std::string name;      // empty: a figure without a unit
  double per_base_unit;  // how many of it are one s, B/s, FLOP/s, J, W, B or 1
};

// What an objective of a CUDA problem may be called, and what that is: the one table of it.
struct CudaFigureRule {
  std::string_view name;
  search::CudaFigure figure;
  search::Direction direction;
  std::vector<FigureUnit> units;  // that it may have; the first where the file names none

  // nullptr where the figure cannot have that unit.
  const FigureUnit* find_unit(std::string_view unit) const;
};

const std::vector<CudaFigureRule>& cuda_figure_rules();
const CudaFigureRule* find_cuda_figure_rule(std::string_view name);  // nullptr: no such figure

// How many of `unit` are one of the figure's base unit. Throws std::runtime_error for a unit that
// the figure cannot have.
double units_per_base(search::CudaFigure figure, const std::string& unit);

}  // namespace nightshift::problems
