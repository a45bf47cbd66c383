#include "search/model/one_hot.h"

#include <algorithm>
#include <cmath>

#include "search/model/parameter_scale.h"

namespace nightshift::search {

namespace {

// Each value twice the one before, or another whole multiple. Two values, such as 1 and 2, say
// nothing of a scale.
bool is_geometric(const std::vector<Value>& values) {
  if (values.size() < 3) return false;
  double previous = 0;
  for (const Value& value : values) {
    const double number = as_number(value);
    const double factor = previous > 0 ? number / previous : 2;
    if (number <= 0 || factor < 2 || factor != std::floor(factor)) return false;
    previous = number;
  }
  return true;
}

}  // namespace

ParameterKind kind_of(const Parameter& parameter) {
  if (!is_numeric(parameter)) return ParameterKind::kChoice;
  return is_geometric(parameter.values) ? ParameterKind::kGeometric : ParameterKind::kNumber;
}

OneHot::OneHot(const ParameterSpace& space) {
  for (std::size_t k = 0; k < space.parameters().size(); ++k) {
    const Parameter& parameter = space.parameters()[k];
    const std::size_t values = parameter.values.size();
    Slot slot;
    slot.kind = kind_of(parameter);
    slot.first = parameter_of_.size();
    slot.count = values < 2 ? 0 : slot.kind == ParameterKind::kChoice && values > 2 ? values : 1;
    if (slot.count == 1) {
      for (std::size_t digit = 0; digit < values; ++digit) {
        if (slot.kind == ParameterKind::kChoice) {
          slot.numbers.push_back(static_cast<double>(digit));
        } else {
          const double number = as_number(parameter.values[digit]);
          slot.numbers.push_back(slot.kind == ParameterKind::kGeometric ? std::log2(number)
                                                                        : number);
        }
      }
    }
    parameter_of_.insert(parameter_of_.end(), slot.count, k);
    slots_.push_back(std::move(slot));
  }
}

void OneHot::patch(std::size_t parameter, std::uint32_t digit, std::span<double> row) const {
  const Slot& slot = slots_[parameter];
  if (slot.count == 1) {
    row[slot.first] = slot.numbers[digit];
  } else {
    for (std::size_t k = 0; k < slot.count; ++k) row[slot.first + k] = k == digit ? 1 : 0;
  }
}

void OneHot::encode(std::span<const std::uint32_t> digits, std::span<double> row) const {
  for (std::size_t k = 0; k < slots_.size(); ++k) patch(k, digits[k], row);
}

void OneHot::append(std::span<const std::uint32_t> digits, std::vector<double>& rows) const {
  rows.resize(rows.size() + columns());
  encode(digits, std::span(rows).last(columns()));
}

}  // namespace nightshift::search
