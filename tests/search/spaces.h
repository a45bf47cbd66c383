#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "search/parameter_space.h"

namespace nightshift::search {

inline Parameter parameter_of(std::string name, std::vector<Value> values) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.values = std::move(values);
  return parameter;
}

inline Parameter integers(std::string name, std::initializer_list<std::int64_t> values) {
  return parameter_of(std::move(name), std::vector<Value>(values.begin(), values.end()));
}

inline ParameterSpace space_of(std::vector<Parameter> parameters,
                               std::initializer_list<const char*> constraints = {}) {
  std::vector<Expression> parsed;
  for (const char* text : constraints) parsed.push_back(Expression::parse(text));
  return ParameterSpace(std::move(parameters), std::move(parsed));
}

}  // namespace nightshift::search
