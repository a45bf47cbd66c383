#include "evaluator/cuda/cuda_figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/cuda_figure_rule.h"
#include "search/evaluation_figure.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::CudaFigure;

// All cases one after the other as if they were one, each as often as its weight says.
CaseFindings run_in_a_row(const std::vector<CaseFindings>& cases,
                          const std::vector<double>& weights) {
  CaseFindings sum;
  std::size_t samples = cases.front().seconds.size();
  for (const CaseFindings& one : cases) samples = std::min(samples, one.seconds.size());
  sum.seconds.assign(samples, 0.0);
  double seconds = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const CaseFindings& one = cases[c];
    const double times = weights.size() == cases.size() ? weights[c] : 1;
    for (std::size_t i = 0; i < samples; ++i) sum.seconds[i] += times * one.seconds[i];
    sum.bytes += times * one.bytes;
    sum.flops += times * one.flops;
    sum.joules += times * one.joules;
    seconds += one.watts > 0 ? times * one.joules / one.watts : 0;
  }
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

std::vector<double> samples_of(CudaFigure figure, const CaseFindings& one, double copy) {
  std::vector<double> values;
  for (std::size_t i = 0; i < (is_single(figure) ? 1 : one.seconds.size()); ++i) {
    values.push_back(timed_figure(figure, one, i, copy));
  }
  return values;
}

// With those of each case where there are several.
search::Samples timed_samples(const search::CaseTerms& terms, CudaFigure figure,
                              const EvaluationFindings& findings) {
  search::Samples samples;
  for (const CaseFindings& one : findings.cases) {
    samples.cases.push_back(samples_of(figure, one, findings.copy_bytes_per_second));
  }
  samples.values = terms.aggregate == search::Aggregate::kSum
                       ? samples_of(figure, run_in_a_row(findings.cases, terms.weights),
                                    findings.copy_bytes_per_second)
                       : search::aggregated(samples.cases, terms);
  if (samples.cases.size() < 2) samples.cases.clear();
  return samples;
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
    search::Samples samples;
    if (is_timed(figure)) {
      samples = timed_samples(problem.cases, figure, findings);
    } else {
      samples.values = {still_figure(figure, findings)};
    }
    samples.objective = objective.name;
    for (double& value : samples.values) value *= scale;
    for (std::vector<double>& of_case : samples.cases) {
      for (double& value : of_case) value *= scale;
    }
    result.push_back(std::move(samples));
  }
  return result;
}

}  // namespace nightshift::evaluator::cuda
