#include "evaluator/cuda/cuda_figures.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "search/evaluation_figure.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::OwnFigure;

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
double timed_figure(OwnFigure figure, const CaseFindings& one, std::size_t i, double copy) {
  switch (figure) {
    case OwnFigure::kTime:
      return one.seconds[i];
    case OwnFigure::kBandwidth:
      return one.bytes / one.seconds[i];
    case OwnFigure::kCompute:
      return one.flops / one.seconds[i];
    case OwnFigure::kCeiling:
      return one.bytes / one.seconds[i] / copy;
    case OwnFigure::kEnergy:
      return one.joules;
    default:
      return one.watts;
  }
}

bool is_timed(OwnFigure figure) { return figure <= OwnFigure::kPower; }
bool is_single(OwnFigure figure) { return figure >= OwnFigure::kEnergy; }

std::vector<double> samples_of(OwnFigure figure, const CaseFindings& one, double copy) {
  std::vector<double> values;
  for (std::size_t i = 0; i < (is_single(figure) ? 1 : one.seconds.size()); ++i) {
    values.push_back(timed_figure(figure, one, i, copy));
  }
  return values;
}

// With those of each case where there are several.
search::Samples timed_samples(const search::CaseTerms& terms, OwnFigure figure,
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

double still_figure(OwnFigure figure, const EvaluationFindings& findings) {
  if (figure == OwnFigure::kBuildTime) return findings.build_seconds;
  double largest = 0;
  double sum = 0;
  for (const CaseFindings& one : findings.cases) {
    sum += static_cast<double>(one.binary_bytes);
    double value = one.error;
    if (figure == OwnFigure::kRegisters) value = one.resources.registers;
    if (figure == OwnFigure::kSpills) value = one.resources.local_bytes;
    if (figure == OwnFigure::kSharedMemory) value = one.resources.shared_bytes;
    largest = std::max(largest, value);
  }
  return figure == OwnFigure::kBinarySize ? sum : largest;
}

}  // namespace

bool wants(const search::CudaBackend& cuda, search::OwnFigure figure) {
  return std::find(cuda.figures.begin(), cuda.figures.end(), figure) != cuda.figures.end();
}

double units_per_base(OwnFigure figure, const std::string& unit) {
  const auto found = search::per_base_unit(search::rule_of(figure).of_cuda, unit);
  if (found) return *found;
  throw std::runtime_error("this figure of a CUDA kernel cannot be given in '" + unit + "'");
}

std::vector<search::Samples> figures_of(const search::Problem& problem,
                                        const search::CudaBackend& cuda,
                                        const EvaluationFindings& findings) {
  std::vector<search::Samples> result;
  for (std::size_t i = 0; i < problem.objectives.size(); ++i) {
    const search::Objective& objective = problem.objectives[i];
    const OwnFigure figure = cuda.figures.at(i);
    const double scale = units_per_base(figure, objective.unit);
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
