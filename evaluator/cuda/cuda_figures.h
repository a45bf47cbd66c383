#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/cuda/launch/kernel_module.h"
#include "search/figures/own_figure.h"
#include "search/measurement.h"
#include "search/problem.h"

namespace nightshift::evaluator::cuda {

// What was found out about one case in one evaluation.
struct CaseFindings {
  std::vector<double> seconds;  // an execution, sample by sample
  double bytes = 0, flops = 0;  // of an execution
  double joules = 0;            // of an execution; where energy or power is an objective
  double watts = 0;
  double error = 0;  // of the answer, relative
  KernelResources resources;
  std::uint64_t binary_bytes = 0;
};
struct EvaluationFindings {
  std::vector<CaseFindings> cases;
  double build_seconds = 0;
  double copy_bytes_per_second = 0;  // of this device; where a case has `bytes`
};

bool wants(const search::CudaBackend& cuda, search::OwnFigure figure);

// How many of `unit` are one of the figure's base unit. Throws std::runtime_error for a unit that
// the figure has not got.
double units_per_base(search::OwnFigure figure, const std::string& unit);

// The objectives' samples, in their units. Over several cases: weighted geometric means of the
// cases' figures, or the figures of all of them run one after the other, as the problem says; of
// resources and errors the largest; binaries add up. Throws std::runtime_error for a unit that the
// figure has not got.
std::vector<search::Samples> figures_of(const search::Problem& problem,
                                        const search::CudaBackend& cuda,
                                        const EvaluationFindings& findings);

}  // namespace nightshift::evaluator::cuda
