#include "problems/value_list.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <variant>

#include "base/text.h"

namespace nightshift::problems {

using search::ParameterType;
using search::Value;

namespace {

bool is_text(const Value& value) { return std::holds_alternative<std::string>(value); }
bool is_truth(const Value& value) { return std::holds_alternative<bool>(value); }

bool is_finite(const Value& value) {
  const double* number = std::get_if<double>(&value);
  return number == nullptr || std::isfinite(*number);
}

bool is_unwritable(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && has_control(*text);
}

std::string shown(const std::vector<Value>& values) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    if (i == kShown) return text + "... (" + std::to_string(values.size()) + " in all)";
    text += search::to_json(values[i]);
  }
  return text;
}

// What is wrong with a list of values; empty where nothing is.
std::string complaint(const std::vector<Value>& values) {
  if (values.empty()) return "has no values";
  if (values.size() > kMostValues) {
    return "has " + std::to_string(values.size()) + " values; at most " +
           std::to_string(kMostValues) + " are possible";
  }
  if (!std::all_of(values.begin(), values.end(), is_finite)) return "has a value that is no number";
  if (const auto found = std::ranges::find_if(values, is_unwritable); found != values.end()) {
    return "has the value " + search::to_json(*found) +
           ", with a control character, which a command line and a macro cannot hold";
  }
  const auto texts = std::count_if(values.begin(), values.end(), is_text);
  const auto truths = std::count_if(values.begin(), values.end(), is_truth);
  for (const auto count : {texts, truths}) {
    if (count != 0 && count != static_cast<std::ptrdiff_t>(values.size())) {
      return "mixes values of several types (" + shown(values) +
             "); all must be numbers, all texts, or all true and false";
    }
  }
  std::set<std::string> seen;
  for (const Value& value : values) {
    if (!seen.insert(key_of(value)).second) {
      return "has the value " + search::to_json(value) + " twice";
    }
  }
  return "";
}

}  // namespace

bool has_control(std::string_view text) {
  return std::ranges::any_of(text,
                             [](char c) { return base::is_control(c) && !base::is_blank(c); });
}

std::string key_of(const Value& value) {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  const double* number = std::get_if<double>(&value);
  if (number && *number >= -0x1p63 && *number < 0x1p63 && std::floor(*number) == *number) {
    return std::to_string(static_cast<std::int64_t>(*number));
  }
  return search::to_json(value);
}

bool is_below(const Value& a, const Value& b) {
  const auto* whole_a = std::get_if<std::int64_t>(&a);
  const auto* whole_b = std::get_if<std::int64_t>(&b);
  if (whole_a && whole_b) return *whole_a < *whole_b;
  return search::as_number(a) < search::as_number(b);
}

ParameterType type_of(const std::vector<Value>& values) {
  if (std::any_of(values.begin(), values.end(), is_text)) return ParameterType::kString;
  const auto is_real = [](const Value& v) { return std::holds_alternative<double>(v); };
  if (std::any_of(values.begin(), values.end(), is_real)) return ParameterType::kFloat;
  return std::all_of(values.begin(), values.end(), is_truth) ? ParameterType::kBool
                                                             : ParameterType::kInt;
}

std::optional<search::Parameter> make_parameter(const std::string& name, std::vector<Value> values,
                                                const SourceLocation& location,
                                                Diagnostics& diagnostics) {
  if (const std::string wrong = complaint(values); !wrong.empty()) {
    diagnostics.add(location, "parameter " + in_quotes(name) + " " + wrong);
    return std::nullopt;
  }
  search::Parameter parameter;
  parameter.name = name;
  parameter.type = type_of(values);
  parameter.values = std::move(values);
  if (parameter.type != ParameterType::kString) {
    const Value first = parameter.values.front();
    std::stable_sort(parameter.values.begin(), parameter.values.end(), is_below);
    if (!search::same_value(first, parameter.values.front())) parameter.default_value = first;
  }
  return parameter;
}

const Value* find_value(const search::Parameter& parameter, const Value& value) {
  const auto found = std::find_if(parameter.values.begin(), parameter.values.end(),
                                  [&](const Value& v) { return search::same_value(v, value); });
  return found == parameter.values.end() ? nullptr : &*found;
}

std::string no_such_value(const search::Parameter& parameter, const Value& value) {
  std::vector<std::string> texts;
  for (const Value& v : parameter.values) {
    if (is_text(v)) texts.push_back(std::get<std::string>(v));
  }
  const std::string near = is_text(value) ? suggestion(std::get<std::string>(value), texts) : "";
  return in_quotes(parameter.name) + " has no value " + search::to_json(value) + " (it has " +
         shown(parameter.values) + ")" + near;
}

}  // namespace nightshift::problems
