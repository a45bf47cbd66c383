#include "evaluator/cuda/launch/plan_reader.h"

#include <cmath>
#include <stdexcept>

namespace nightshift::evaluator::cuda {

std::string text_of(double number) {
  constexpr double kExact = 9e15;
  const bool whole = number == std::floor(number) && std::abs(number) < kExact;
  return whole ? std::to_string(static_cast<std::int64_t>(number))
               : search::to_text(search::Value(number));
}

double PlanReader::number(const search::Expression& expression, const std::string& what) const {
  try {
    return search::as_number(expression.evaluate(lookup_));
  } catch (const std::exception& e) {
    throw std::runtime_error(what + ", '" + expression.text() + "': " + e.what());
  }
}

std::uint64_t PlanReader::whole(const search::Expression& expression, const std::string& what,
                                double least, double most) const {
  const double value = number(expression, what);
  if (!(value >= least) || value > most || value != std::floor(value)) {
    throw std::runtime_error(what + ", '" + expression.text() + "', is " + text_of(value) +
                             ", not a whole number from " + text_of(least) + " to " +
                             text_of(most));
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace nightshift::evaluator::cuda
