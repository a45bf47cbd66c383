#include "scheduler/trials/tolerance_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace nightshift::scheduler {

namespace {

// The error is that of one element of one draw. Of others, which the self-test and a claim ask for,
// it was up to 2.2 times as large (a product of 96 x 128 x 160).
constexpr double kOfOtherDraws = 4;

// The next larger one of 1, 2 and 5 times a power of ten.
double next_above(double error) {
  const double power = std::pow(10, std::floor(std::log10(error)));
  for (const double step : {1, 2, 5, 10}) {
    if (step * power > error * (1 + 1e-9)) return step * power;
  }
  return 20 * power;
}

}  // namespace

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
  return fmt::format(
      "; where that is right, and only rounds or adds in another order, write tolerance = {{ "
      "absolute = {:.0e} }} "
      "into [host]; without it {:g} of an element and {:g} of the answer's size are allowed",
      next_above(kOfOtherDraws * wrong->error), usual.relative, usual.of_size);
}

}  // namespace nightshift::scheduler
