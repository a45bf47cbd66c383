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
  const search::Tolerance usual = search::HostBackend{}.floating_tolerance;
  const bool is_rounding = wrong->tolerance > 0 && std::isfinite(wrong->error) &&
                           wrong->error <= kMostOfRounding * wrong->tolerance;
  if (!is_rounding || search::tolerance_of(*host, *output) != usual) return {};
  // Twice the error: inputs of later checks are others.
  const double enough = std::pow(10, std::ceil(std::log10(2 * wrong->error)));
  return fmt::format(
      "; where the baseline is right and only rounds, write tolerance = {{ absolute = {:.0e} }} "
      "into [host]; without it relative = {:g} and absolute = {:g} are allowed",
      enough, usual.relative, usual.absolute);
}

}  // namespace nightshift::scheduler
