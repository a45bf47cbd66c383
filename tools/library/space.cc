#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "problems/problem_file.h"
#include "tools/library/space_parts.h"

namespace nightshift {
namespace {

// A number as TOML tells it from an integer.
std::string toml_number(double number) {
  if (!std::isfinite(number)) throw Error("a value of a parameter is not finite");
  std::string text = search::to_text(search::Value(number));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string list_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(toml_value(value));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

search::Configuration inner_configuration(const Configuration& configuration,
                                          const search::ParameterSpace& space) {
  search::Configuration inner;
  for (const search::Parameter& parameter : space.parameters()) {
    const auto found = configuration.find(parameter.name);
    if (found == configuration.end()) {
      throw Error("the configuration does not say " + parameter.name);
    }
    inner.set(parameter.name, found->second);
  }
  for (const auto& [name, value] : configuration) {
    if (inner.find(name) == nullptr) throw Error("the space has no parameter " + name);
  }
  return inner;
}

search::Problem read_space(const std::vector<Parameter>& parameters,
                           const std::vector<std::string>& constraints) {
  const std::string text = "name = \"space\"\n" + space_tables(parameters, constraints) +
                           "[command]\nmode = \"server\"\nargv = [\"true\"]\n";
  return problems::parse_problem(text, "space");
}

}  // namespace

std::string toml_value(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return search::json_quoted(*text);
  if (const auto* number = std::get_if<double>(&value)) return toml_number(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return std::to_string(std::get<std::int64_t>(value));
}

std::string space_tables(const std::vector<Parameter>& parameters,
                         const std::vector<std::string>& constraints) {
  std::string text = "constraints = [";
  for (const std::string& constraint : constraints) {
    text += search::json_quoted(constraint) + ", ";
  }
  text += "]\n[parameters]\n";
  for (const Parameter& parameter : parameters) {
    text += search::json_quoted(parameter.name) + " = " + list_of(parameter.values) + "\n";
  }
  return text;
}

Configuration outer_configuration(const search::Configuration& configuration) {
  return {configuration.entries().begin(), configuration.entries().end()};
}

search::ConfigurationIndex index_in(const search::ParameterSpace& space,
                                    const Configuration& configuration) {
  const search::Configuration inner = inner_configuration(configuration, space);
  const std::optional<search::ConfigurationIndex> index = space.index_of(inner);
  if (!index) throw Error("not in the space: " + inner.to_json());
  return *index;
}

Space::Space(std::vector<Parameter> parameters, std::vector<std::string> constraints) {
  try {
    search::Problem problem = read_space(parameters, constraints);
    search::ParameterSpace space = problems::make_space(problem);
    parts_ = std::make_shared<Parts>(
        Parts{std::move(parameters), std::move(constraints), std::move(problem), std::move(space)});
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

double Space::size() const {
  return parts_->space.counted() ? static_cast<double>(parts_->space.size())
                                 : parts_->space.cartesian_size();
}

bool Space::contains(const Configuration& configuration) const {
  return parts_->space.index_of(inner_configuration(configuration, parts_->space)).has_value();
}

Configuration Space::defaults() const {
  return outer_configuration(search::default_configuration(parts_->problem));
}

const std::vector<Parameter>& Space::parameters() const { return parts_->parameters; }
const std::vector<std::string>& Space::constraints() const { return parts_->constraints; }

}  // namespace nightshift
