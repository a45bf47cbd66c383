#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "search/expression.h"
#include "search/value.h"

namespace nightshift::evaluator::cuda {

// Evaluates the expressions of a plan, and says of which part of the problem one was that fails:
// everything throws std::runtime_error that begins with `what`.
class PlanReader {
 public:
  using Names = std::map<std::string, search::Value, std::less<>>;

  explicit PlanReader(Names names) : names_(std::move(names)) {}
  PlanReader(const PlanReader&) = delete;
  PlanReader& operator=(const PlanReader&) = delete;

  const search::Expression::Lookup& lookup() const { return lookup_; }

  double number(const search::Expression& expression, const std::string& what) const;
  // A whole number; both bounds are exact as double.
  std::uint64_t whole(const search::Expression& expression, const std::string& what, double least,
                      double most) const;
  // The same below 2^32.
  std::uint32_t count(const search::Expression& expression, const std::string& what, double least,
                      double most) const {
    return static_cast<std::uint32_t>(whole(expression, what, least, most));
  }

 private:
  Names names_;
  search::Expression::Lookup lookup_ = [this](std::string_view name) -> const search::Value* {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &found->second;
  };
};

// Whole numbers without a point.
std::string text_of(double number);

}  // namespace nightshift::evaluator::cuda
