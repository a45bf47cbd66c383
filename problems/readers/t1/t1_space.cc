#include "problems/readers/t1/t1_space.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/whole_range.h"
#include "problems/json_scalar.h"
#include "problems/value_list.h"

namespace nightshift::problems {
namespace {

using nlohmann::json;
using search::ParameterType;
using search::Value;

std::optional<ParameterType> type_named(const JsonReader& parameter) {
  std::string name;
  if (parameter.require("Type") == nullptr || !parameter.string("Type", name)) return std::nullopt;
  if (name == "int" || name == "uint") return ParameterType::kInt;
  if (name == "float") return ParameterType::kFloat;
  if (name == "bool") return ParameterType::kBool;
  if (name == "string") return ParameterType::kString;
  const std::vector<std::string> known = {"int", "uint", "float", "bool", "string"};
  parameter.error("Type", "must be " + alternatives(known) + ", not " + in_quotes(name) +
                              suggestion(name, known));
  return std::nullopt;
}

// `value` as one of the type that the file declares: 0 and 1 are truth values, 1 is a float.
std::optional<Value> as_type(const Value& value, ParameterType type) {
  if (type == ParameterType::kString) {
    return std::holds_alternative<std::string>(value) ? value : Value(search::to_text(value));
  }
  if (std::holds_alternative<std::string>(value)) return std::nullopt;
  const double number = search::as_number(value);
  switch (type) {
    case ParameterType::kFloat:
      if (!search::same_value(value, number)) return std::nullopt;  // 2**53 + 1 is no double
      return number;
    case ParameterType::kBool:
      if (number == 0 || number == 1) return number == 1;
      return std::nullopt;
    default:
      if (std::holds_alternative<std::int64_t>(value)) return value;
      if (std::floor(number) != number || std::abs(number) > 0x1p53) return std::nullopt;
      return static_cast<std::int64_t>(number);
  }
}

std::optional<std::vector<Value>> listed(const JsonReader& parameter, const json& values) {
  std::vector<Value> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const json& element = values[i];
    if (const std::string number = parameter.beyond_integers("Values", i); !number.empty()) {
      parameter.error("Values", "has " + number + ", which is beyond 64 bits; " +
                                    std::string(base::kWholeRange));
      return std::nullopt;
    }
    const auto value = json_scalar(element);
    if (!value) {
      parameter.error("Values",
                      "must list numbers, texts or true and false; here is " + describe(element));
      return std::nullopt;
    }
    result.push_back(*value);
  }
  return result;
}

std::optional<std::vector<Value>> values_of(const JsonReader& parameter) {
  const json* values = parameter.require("Values");
  if (values == nullptr) return std::nullopt;
  if (values->is_array()) return listed(parameter, *values);
  if (!values->is_string()) {
    parameter.error("Values", "must be a list, or a Python list as text, not " + describe(*values));
    return std::nullopt;
  }
  const std::string& text = values->get_ref<const std::string&>();
  try {
    return search::Expression::parse_list(text);
  } catch (const search::ExpressionError& error) {
    parameter.error("Values", in_quotes(text) + ": " + error.what());
    return std::nullopt;
  }
}

// The value that is nearest to `wanted` where both are numbers, else the first.
const Value& nearest_value(const search::Parameter& parameter, const std::optional<Value>& wanted) {
  const bool numbers = wanted && !std::holds_alternative<std::string>(*wanted) &&
                       parameter.type != ParameterType::kString;
  if (!numbers) return parameter.default_or_first();
  const auto distance = [&](const Value& value) {
    return std::abs(search::as_number(value) - search::as_number(*wanted));
  };
  return *std::ranges::min_element(parameter.values, {}, distance);
}

// Published files have lists here, and values that the parameter has not got.
void read_default(const JsonReader& reader, search::Parameter& parameter,
                  std::vector<std::string>& notes) {
  const json* node = reader.find("Default");
  if (node == nullptr) return;
  const bool is_list_of_one = node->is_array() && node->size() == 1;
  const auto given = json_scalar(is_list_of_one ? node->front() : *node);
  const auto typed = given ? as_type(*given, parameter.type) : std::nullopt;
  const Value* own = typed ? find_value(parameter, *typed) : nullptr;
  parameter.default_value = own != nullptr ? *own : nearest_value(parameter, typed);
  if (own != nullptr) return;
  notes.push_back("the Default of " + in_quotes(parameter.name) + ", " + node->dump() +
                  ", is none of its values; " + search::to_json(*parameter.default_value) +
                  " is taken");
}

// Kernel Tuner takes Values as they stand, whatever Type says.
ParameterType type_of_values(const JsonReader& reader, const std::string& name, ParameterType type,
                             const std::vector<Value>& values, std::vector<std::string>& notes) {
  const auto is_fraction = [](const Value& value) {
    const double* number = std::get_if<double>(&value);
    return number != nullptr && std::isfinite(*number) && std::floor(*number) != *number;
  };
  const auto fraction = std::ranges::find_if(values, is_fraction);
  if (type != ParameterType::kInt || fraction == values.end()) return type;
  std::string word;
  reader.string("Type", word);
  notes.push_back("the Type of " + in_quotes(name) + " is " + word + ", but it has the value " +
                  search::to_json(*fraction) + "; it is taken as float");
  return ParameterType::kFloat;
}

// Listed twice with the same values, a parameter is one, as it is for Kernel Tuner.
void read_again(const JsonReader& reader, const std::string& name, search::Problem& problem) {
  const auto known = std::ranges::find(problem.parameters, name, &search::Parameter::name);
  const auto values = values_of(reader);
  const bool same =
      known != problem.parameters.end() && values && values->size() == known->values.size() &&
      std::ranges::all_of(*values,
                          [&](const Value& value) { return find_value(*known, value) != nullptr; });
  if (same) {
    problem.notes.push_back("the parameter " + in_quotes(name) + " is listed twice");
  } else {
    reader.error("Name", in_quotes(name) + " is a parameter already");
  }
}

void read_parameter(const JsonReader& reader, search::Problem& problem, KnownNames& names) {
  std::string name;
  if (reader.require("Name") == nullptr || !reader.string("Name", name)) return;
  if (!is_name(name)) {
    reader.error("Name", flaw_of_name(name));
    return;
  }
  if (std::find(names.parameters.begin(), names.parameters.end(), name) != names.parameters.end()) {
    read_again(reader, name, problem);
    return;
  }
  names.parameters.push_back(name);
  const auto declared = type_named(reader);
  auto values = values_of(reader);
  if (!declared || !values) return;
  const ParameterType type = type_of_values(reader, name, *declared, *values, problem.notes);
  for (Value& value : *values) {
    const auto typed = as_type(value, type);
    if (!typed) {
      reader.error("Values", "of " + in_quotes(name) + " has " + search::to_json(value) +
                                 ", which is not of its Type");
      return;
    }
    value = *typed;
  }
  auto parameter =
      make_parameter(name, std::move(*values), reader.location_of("Values"), reader.diagnostics());
  if (!parameter) return;
  parameter->type = type;
  read_default(reader, *parameter, problem.notes);
  problem.parameters.push_back(std::move(*parameter));
}

// The parameters of a block in Kernel Tuner's names, and what their values multiply to.
class BlockSizes {
 public:
  explicit BlockSizes(const std::vector<search::Parameter>& parameters) {
    for (const char* name : {"block_size_x", "block_size_y", "block_size_z"}) {
      const auto found = std::ranges::find(parameters, name, &search::Parameter::name);
      if (found == parameters.end()) continue;
      parameters_.push_back(&*found);
      product_ += (product_.empty() ? "" : " * ") + found->name;
    }
  }

  std::string condition() const { return product_ + " <= 1024"; }

  // Whether a choice of them is above the limit that none of `constraints` excludes by itself.
  bool may_exceed(const std::vector<search::Expression>& constraints) {
    double choices = 1;
    for (const search::Parameter* p : parameters_) choices *= static_cast<double>(p->values.size());
    return choices > kMostChoices || exceeds(constraints, 0, 1);
  }

 private:
  static constexpr double kMostThreads = 1024;
  static constexpr double kMostChoices = 1e6;  // beyond them none is looked at

  bool exceeds(const std::vector<search::Expression>& constraints, std::size_t next,
               double threads) {
    if (next == parameters_.size()) return threads > kMostThreads && !is_excluded(constraints);
    if (parameters_[next]->type == ParameterType::kString) return false;
    return std::ranges::any_of(parameters_[next]->values, [&](const Value& value) {
      chosen_.set(parameters_[next]->name, value);
      return exceeds(constraints, next + 1, threads * search::as_number(value));
    });
  }

  bool is_excluded(const std::vector<search::Expression>& constraints) const {
    const auto lookup = [&](std::string_view name) { return chosen_.find(name); };
    return std::ranges::any_of(constraints, [&](const search::Expression& constraint) {
      const bool is_of_block = std::ranges::all_of(
          constraint.names(), [&](const std::string& name) { return lookup(name) != nullptr; });
      try {
        return is_of_block && !constraint.holds(lookup);
      } catch (const search::ExpressionError&) {
        return true;
      }
    });
  }

  std::vector<const search::Parameter*> parameters_;
  std::string product_;
  search::Configuration chosen_;
};

}  // namespace

void read_t1_space(const JsonReader& space, search::Problem& problem, KnownNames& names) {
  if (space.require("TuningParameters") != nullptr) {
    for (const JsonReader& reader : space.objects("TuningParameters")) {
      read_parameter(reader, problem, names);
    }
    if (names.parameters.empty()) space.error("TuningParameters", "names no parameter");
  }
  for (const JsonReader& condition : space.objects("Conditions")) {
    LocatedString text;
    if (condition.require("Expression") == nullptr || !condition.string("Expression", text.text)) {
      continue;
    }
    text.location = condition.location_of("Expression");
    auto expression = read_parameter_expression(text, "condition", names, space.diagnostics());
    if (!expression) continue;
    check_comparisons(*expression, "condition " + in_quotes(text.text), problem.parameters, {},
                      text.location, space.diagnostics());
    problem.constraints.push_back(std::move(*expression));
  }
}

void add_block_size_condition(search::Problem& problem) {
  BlockSizes block(problem.parameters);
  if (!block.may_exceed(problem.constraints)) return;
  problem.constraints.push_back(search::Expression::parse(block.condition()));
  problem.notes.push_back("'" + block.condition() +
                          "' is a condition too, as it is for Kernel Tuner");
}

}  // namespace nightshift::problems
