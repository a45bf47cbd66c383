#include "evaluator/cuda/cuda_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/cuda_figure_rule.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::CudaFigure;

// All cases one after the other as if they were one.
CaseFindings run_in_a_row(const std::vector<CaseFindings>& cases, std::size_t samples) {
  CaseFindings sum;
  sum.seconds.assign(samples, 0.0);
  for (const CaseFindings& one : cases) {
    for (std::size_t i = 0; i < samples; ++i) sum.seconds[i] += one.seconds[i];
    sum.bytes += one.bytes;
    sum.flops += one.flops;
    sum.joules += one.joules;
  }
  double seconds = 0;
  for (const CaseFindings& one : cases) seconds += one.watts > 0 ? one.joules / one.watts : 0;
  sum.watts = seconds > 0 ? sum.joules / seconds : 0;
  return sum;
}

// A figure that follows from times: of sample i of one case.
double timed_figure(CudaFigure figure, const CaseFindings& one, std::size_t i, double copy) {
  switch (figure) {
    case CudaFigure::kTime:
      return one.seconds[i];
    case CudaFigure::kBandwidth:
      return one.bytes / one.seconds[i];
    case CudaFigure::kCompute:
      return one.flops / one.seconds[i];
    case CudaFigure::kCeiling:
      return one.bytes / one.seconds[i] / copy;
    case CudaFigure::kEnergy:
      return one.joules;
    default:
      return one.watts;
  }
}

bool is_timed(CudaFigure figure) { return figure <= CudaFigure::kPower; }
bool is_single(CudaFigure figure) { return figure >= CudaFigure::kEnergy; }

std::vector<double> timed_samples(const search::CudaBackend& cuda, CudaFigure figure,
                                  const EvaluationFindings& findings) {
  std::size_t samples = std::numeric_limits<std::size_t>::max();
  for (const CaseFindings& one : findings.cases) samples = std::min(samples, one.seconds.size());
  const bool sum = cuda.aggregate == search::CudaBackend::Aggregate::kSum;
  const std::vector<CaseFindings> cases =
      sum ? std::vector{run_in_a_row(findings.cases, samples)} : findings.cases;
  std::vector<double> values;
  for (std::size_t i = 0; i < (is_single(figure) ? 1 : samples); ++i) {
    double logarithms = 0;
    for (const CaseFindings& one : cases) {
      logarithms += std::log(timed_figure(figure, one, i, findings.copy_bytes_per_second));
    }
    values.push_back(cases.size() == 1
                         ? timed_figure(figure, cases[0], i, findings.copy_bytes_per_second)
                         : std::exp(logarithms / static_cast<double>(cases.size())));
  }
  return values;
}

double still_figure(CudaFigure figure, const EvaluationFindings& findings) {
  if (figure == CudaFigure::kBuildTime) return findings.build_seconds;
  double largest = 0;
  double sum = 0;
  for (const CaseFindings& one : findings.cases) {
    sum += static_cast<double>(one.binary_bytes);
    double value = one.error;
    if (figure == CudaFigure::kRegisters) value = one.resources.registers;
    if (figure == CudaFigure::kSpills) value = one.resources.local_bytes;
    if (figure == CudaFigure::kSharedMemory) value = one.resources.shared_bytes;
    largest = std::max(largest, value);
  }
  return figure == CudaFigure::kBinarySize ? sum : largest;
}

}  // namespace

bool wants(const search::CudaBackend& cuda, search::CudaFigure figure) {
  return std::find(cuda.figures.begin(), cuda.figures.end(), figure) != cuda.figures.end();
}

std::vector<search::Samples> figures_of(const search::Problem& problem,
                                        const search::CudaBackend& cuda,
                                        const EvaluationFindings& findings) {
  std::vector<search::Samples> result;
  for (std::size_t i = 0; i < problem.objectives.size(); ++i) {
    const search::Objective& objective = problem.objectives[i];
    const CudaFigure figure = cuda.figures.at(i);
    const double scale = problems::units_per_base(figure, objective.unit);
    std::vector<double> values = is_timed(figure)
                                     ? timed_samples(cuda, figure, findings)
                                     : std::vector<double>{still_figure(figure, findings)};
    for (double& value : values) value *= scale;
    result.push_back({objective.name, std::move(values)});
  }
  return result;
}

}  // namespace nightshift::evaluator::cuda
