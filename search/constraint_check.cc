#include "search/constraint_check.h"

namespace nightshift::search {

namespace {

// 1 MiB of answers a constraint.
constexpr double kMostAnswers = 1 << 20;

std::size_t position_of(const std::string& name, const std::vector<Parameter>& parameters,
                        const Expression& expression) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == name) return i;
  }
  std::string known;
  for (const Parameter& parameter : parameters)
    known += (known.empty() ? "" : ", ") + parameter.name;
  throw SpaceError("the expression '" + expression.text() + "' uses '" + name +
                   "', which is no parameter; there are " + known);
}

}  // namespace

ConstraintCheck::ConstraintCheck(const Expression& expression,
                                 const std::vector<Parameter>& parameters)
    : expression_(&expression), all_(&parameters), values_(expression.names().size()) {
  for (const std::string& name : expression.names()) {
    used_.push_back(position_of(name, parameters, expression));
    combinations_ *= static_cast<double>(parameters[used_.back()].values.size());
  }
  if (combinations_ > kMostAnswers) return;
  std::size_t stride = 1;
  for (const std::size_t i : used_) {
    strides_.push_back(stride);
    stride *= parameters[i].values.size();
  }
  answers_.assign(stride, Answer::kUnknown);
}

bool ConstraintCheck::holds(std::span<const std::uint32_t> digits) {
  if (answers_.empty()) return evaluate(digits);
  std::size_t place = 0;
  for (std::size_t k = 0; k < used_.size(); ++k) place += strides_[k] * digits[used_[k]];
  Answer& answer = answers_[place];
  if (answer == Answer::kUnknown) answer = evaluate(digits) ? Answer::kTrue : Answer::kFalse;
  return answer == Answer::kTrue;
}

bool ConstraintCheck::evaluate(std::span<const std::uint32_t> digits) {
  for (std::size_t k = 0; k < used_.size(); ++k) {
    values_[k] = &(*all_)[used_[k]].values[digits[used_[k]]];
  }
  try {
    return expression_->holds_for(values_);
  } catch (const ExpressionError& error) {
    Configuration at;
    for (std::size_t k = 0; k < used_.size(); ++k) at.set((*all_)[used_[k]].name, *values_[k]);
    throw SpaceError("the expression '" + expression_->text() + "' cannot be evaluated for " +
                     at.to_json() + ": " + error.what());
  }
}

bool ConstraintCheck::holds_for_some() {
  std::vector<std::uint32_t> digits(all_->size());
  for (;;) {
    if (holds(digits)) return true;
    std::size_t k = 0;
    while (k < used_.size() && ++digits[used_[k]] == (*all_)[used_[k]].values.size()) {
      digits[used_[k++]] = 0;
    }
    if (k == used_.size()) return false;
  }
}

}  // namespace nightshift::search
