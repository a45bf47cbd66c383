#pragma once

#include <string>

#include "packaging/include/nightshift/tuner.h"
#include "search/parameter_space.h"
#include "search/problem.h"

namespace nightshift {

// Spaces are read as those of problem files are: one rule for what is a name, a value, a condition.
struct Space::Parts {
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  search::Problem problem;
  search::ParameterSpace space;
};

// The tables of a problem file that say what can be tried.
std::string space_tables(const std::vector<Parameter>& parameters,
                         const std::vector<std::string>& constraints);
// A value as TOML writes it.
std::string toml_value(const Value& value);

Configuration outer_configuration(const search::Configuration& configuration);
// Throws Error for what is not in the space, with what is wrong with it.
search::ConfigurationIndex index_in(const search::ParameterSpace& space,
                                    const Configuration& configuration);

}  // namespace nightshift
