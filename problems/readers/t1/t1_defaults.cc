#include "problems/readers/t1/t1_defaults.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "problems/value_list.h"
#include "search/parameter_space.h"

namespace nightshift::problems {
namespace {

using Digits = std::vector<std::uint32_t>;

constexpr std::size_t kMostLooks = 200'000;
// A file is not to take seconds to be read; beyond them configurations are tried one by one.
constexpr search::SpaceLimits kLimits = {std::size_t{64} << 20, std::size_t{1} << 24,
                                         std::size_t{1} << 22};

Digits digits_of_defaults(const std::vector<search::Parameter>& parameters) {
  Digits digits;
  for (const search::Parameter& parameter : parameters) {
    const search::Value* own = find_value(parameter, parameter.default_or_first());
    digits.push_back(static_cast<std::uint32_t>(own - parameter.values.data()));
  }
  return digits;
}

// Looks for a configuration that differs from the defaults in a given number of parameters.
class NearSearch {
 public:
  NearSearch(const search::ParameterSpace& space, Digits defaults)
      : space_(space), defaults_(std::move(defaults)) {
    for (std::size_t i = 0; i < defaults_.size(); ++i) {
      if (space.parameters()[i].values.size() > 1) free_.push_back(i);
    }
  }

  std::optional<Digits> run() {
    for (std::size_t changes = 1; changes <= free_.size(); ++changes) {
      Digits digits = defaults_;
      if (change(digits, 0, changes)) return digits;
      if (looks_ >= kMostLooks) break;
    }
    return std::nullopt;
  }

 private:
  // `first` counts in free_.
  bool change(Digits& digits, std::size_t first, std::size_t changes) {
    if (looks_ >= kMostLooks) return false;
    if (changes == 0) {
      ++looks_;
      return space_.contains(digits);
    }
    for (std::size_t i = first; i + changes <= free_.size(); ++i) {
      for (const std::uint32_t digit : others(free_[i])) {
        digits[free_[i]] = digit;
        if (change(digits, i + 1, changes - 1)) return true;
      }
      digits[free_[i]] = defaults_[free_[i]];
    }
    return false;
  }

  // Positions of the other values of a parameter, the nearest first.
  Digits others(std::size_t parameter) const {
    const std::int64_t own = defaults_[parameter];
    Digits positions;
    for (std::uint32_t i = 0; i < space_.parameters()[parameter].values.size(); ++i) {
      if (i != own) positions.push_back(i);
    }
    std::ranges::stable_sort(positions, {}, [&](std::uint32_t i) { return std::abs(i - own); });
    return positions;
  }

  const search::ParameterSpace& space_;
  Digits defaults_;
  std::vector<std::size_t> free_;  // positions of the parameters that have several values
  std::size_t looks_ = 0;
};

// "loop_unroll 1 (not 2)" for each value that is another one, and that value as the default.
std::string adopt(search::Problem& problem, const Digits& digits) {
  std::string changed;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    search::Parameter& parameter = problem.parameters[i];
    const search::Value& value = parameter.values[digits[i]];
    if (search::same_value(value, parameter.default_or_first())) continue;
    changed += (changed.empty() ? "" : ", ") + parameter.name + " " + search::to_json(value) +
               " (not " + search::to_json(parameter.default_or_first()) + ")";
    parameter.default_value = value;
  }
  return changed;
}

const search::Expression* violated(const search::Problem& problem) {
  const search::Configuration defaults = search::resolved(problem, {});
  const auto lookup = [&](std::string_view name) { return defaults.find(name); };
  for (const search::Expression& constraint : problem.constraints) {
    try {
      if (!constraint.holds(lookup)) return &constraint;
    } catch (const search::ExpressionError&) {
      return &constraint;
    }
  }
  return nullptr;
}

}  // namespace

void settle_t1_defaults(search::Problem& problem, const SourceLocation& location,
                        Diagnostics& diagnostics) {
  const search::Expression* broken = violated(problem);
  if (broken == nullptr) return;
  try {
    const search::ParameterSpace space(problem.parameters, problem.constraints, kLimits);
    base::Rng rng(1);
    auto found = NearSearch(space, digits_of_defaults(problem.parameters)).run();
    if (!found) found = space.digits(space.sample(rng));
    const std::string opening =
        "the Defaults violate the condition " + in_quotes(broken->text()) + "; ";
    problem.notes.push_back(opening + "the baseline has " + adopt(problem, *found));
  } catch (const search::SpaceError& error) {
    diagnostics.add(location, error.what());
  }
}

}  // namespace nightshift::problems
