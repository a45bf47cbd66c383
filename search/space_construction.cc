#include "search/space_construction.h"

#include <algorithm>

#include "search/constraint_check.h"

namespace nightshift::search {

namespace {

// More rows than this are refused; a table of them would not fit the memory of a small machine.
constexpr std::uint64_t kMaxTableBytes = std::uint64_t{4} << 30;

std::uint32_t default_digit(const Parameter& parameter) {
  const auto at = std::ranges::find_if(parameter.values, [&](const Value& v) {
    return same_value(v, parameter.default_or_first());
  });
  return static_cast<std::uint32_t>(at - parameter.values.begin());
}

// A check with the parameter that is held at its default where the check fails; none for a
// constraint, which excludes.
struct Check {
  ConstraintCheck constraint;
  bool is_condition = false;
  std::size_t held = 0;
  std::uint32_t held_at = 0;
  std::uint64_t excluded = 0;

  bool admits(std::span<const std::uint32_t> digits) {
    const bool admitted = (is_condition && digits[held] == held_at) || constraint.holds(digits);
    excluded += admitted ? 0 : 1;
    return admitted;
  }
};

class Construction {
 public:
  Construction(const std::vector<Parameter>& parameters, const std::vector<Expression>& constraints)
      : parameters_(parameters), due_(parameters.size()), digits_(parameters.size()) {
    for (const Expression& constraint : constraints) {
      add({ConstraintCheck(constraint, parameters), false, 0, 0, 0}, 0);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].active_when) continue;
      ConstraintCheck condition(*parameters[i].active_when, parameters);
      if (std::ranges::find(condition.parameters(), i) != condition.parameters().end()) {
        throw SpaceError("the condition '" + condition.expression().text() + "' of parameter '" +
                         parameters[i].name + "' depends on that parameter itself");
      }
      add({std::move(condition), true, i, default_digit(parameters[i]), 0}, i);
    }
  }

  DigitTable run() {
    std::vector<std::size_t> counts;
    for (const Parameter& parameter : parameters_) counts.push_back(parameter.values.size());
    DigitTable table(counts);
    for (Check& check : without_parameters_) {
      if (!check.admits(digits_)) fail_empty();
    }
    descend(0, table);
    if (table.size() == 0) fail_empty();
    return table;
  }

 private:
  void add(Check check, std::size_t last) {
    const auto& used = check.constraint.parameters();
    for (const std::size_t i : used) last = std::max(last, i);
    const bool constant = used.empty() && !check.is_condition;
    (constant ? without_parameters_ : due_[last]).push_back(std::move(check));
  }

  void descend(std::size_t depth, DigitTable& table) {
    if (depth == parameters_.size()) {
      if ((table.size() + 1) * table.row_bytes() > kMaxTableBytes) fail_too_many(table);
      table.append(digits_);
      return;
    }
    const std::size_t count = parameters_[depth].values.size();
    for (std::uint32_t digit = 0; digit < count; ++digit) {
      digits_[depth] = digit;
      const bool admitted =
          std::ranges::all_of(due_[depth], [&](Check& check) { return check.admits(digits_); });
      if (admitted) descend(depth + 1, table);
    }
  }

  [[noreturn]] void fail_too_many(const DigitTable& table) const {
    throw SpaceError("more than " + std::to_string(table.size()) +
                     " configurations satisfy the constraints; add constraints or remove values");
  }

  [[noreturn]] void fail_empty() {
    const Check* busiest = nullptr;
    const auto look = [&](std::vector<Check>& checks) {
      for (Check& check : checks) {
        if (check.is_condition) continue;
        if (check.constraint.combinations() < 1e7 && !check.constraint.holds_for_some()) {
          throw SpaceError("no configuration is left: the constraint '" +
                           check.constraint.expression().text() +
                           "' holds for no combination of the values");
        }
        if (busiest == nullptr || check.excluded > busiest->excluded) busiest = &check;
      }
    };
    look(without_parameters_);
    for (std::vector<Check>& checks : due_) look(checks);
    std::string message = "no configuration satisfies all the constraints together";
    if (busiest != nullptr) {
      message +=
          "; the one that excluded most is '" + busiest->constraint.expression().text() + "'";
    }
    throw SpaceError(message);
  }

  const std::vector<Parameter>& parameters_;
  std::vector<std::vector<Check>> due_;  // checks by the last of their parameters
  std::vector<Check> without_parameters_;
  std::vector<std::uint32_t> digits_;
};

}  // namespace

DigitTable construct_space(const std::vector<Parameter>& parameters,
                           const std::vector<Expression>& constraints) {
  return Construction(parameters, constraints).run();
}

}  // namespace nightshift::search
