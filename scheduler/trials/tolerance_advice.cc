#include "scheduler/trials/tolerance_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace nightshift::scheduler {

std::string tolerance_advice(const search::Problem& problem, const search::TrialOutcome& failure) {
  constexpr double kMostOfRounding = 100;
  const auto* host = std::get_if<search::HostBackend>(&problem.backend);
  const auto* wrong = std::get_if<search::WrongResult>(&failure);
  if (host == nullptr || wrong == nullptr) return {};
  const auto output = std::ranges::find(host->arguments, wrong->output, &search::Argument::name);
  if (output == host->arguments.end() || !search::is_floating(output->type)) return {};
  const search::UsualTolerance usual = search::usual_tolerance(output->type);
  // A float64 answer may be one of float32.
  const double single = search::usual_tolerance(search::ElementType::kFloat32).relative;
  const double most =
      std::max(kMostOfRounding * wrong->tolerance, single * std::abs(wrong->expected));
  const bool is_rounding =
      wrong->tolerance > 0 && std::isfinite(wrong->error) && wrong->error <= most;
  if (!is_rounding || !search::is_usual(host->tolerance, *output)) return {};
  // Twice the error: inputs of later checks are others.
  const double enough = std::pow(10, std::ceil(std::log10(2 * wrong->error)));
  return fmt::format(
      "; where the baseline is right and only rounds, write tolerance = {{ absolute = {:.0e} }} "
      "into [host]; without it {:g} of an element and {:g} of the answer's size are allowed",
      enough, usual.relative, usual.of_size);
}

}  // namespace nightshift::scheduler
