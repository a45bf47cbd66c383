#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "search/parameter_space.h"

namespace nightshift::search {

// A constraint, or the condition of a parameter, prepared for being asked millions of times about
// digits: names are resolved once, and where few combinations of its parameters exist each answer
// is computed once.
class ConstraintCheck {
 public:
  // `expression` and `parameters` outlive this. Throws SpaceError for an unknown name.
  ConstraintCheck(const Expression& expression, const std::vector<Parameter>& parameters);

  // Digits of all its parameters are set. Throws SpaceError where it cannot be evaluated.
  bool holds(std::span<const std::uint32_t> digits);

  const Expression& expression() const { return *expression_; }
  const std::vector<std::size_t>& parameters() const { return used_; }  // positions
  double combinations() const { return combinations_; }
  bool holds_for_some();  // whether any combination of its parameters satisfies it

 private:
  enum class Answer : std::uint8_t { kUnknown, kFalse, kTrue };
  bool evaluate(std::span<const std::uint32_t> digits);

  const Expression* expression_;
  const std::vector<Parameter>* all_;
  std::vector<std::size_t> used_;     // in the order of the expression's names
  std::vector<const Value*> values_;  // of the names, for the evaluation
  std::vector<std::size_t> strides_;  // of `answers_`
  std::vector<Answer> answers_;       // empty where there would be too many
  double combinations_ = 1;
};

}  // namespace nightshift::search
