#pragma once

#include <string>
#include <vector>

#include "problems/override.h"
#include "search/configuration.h"
#include "search/parameter_space.h"
#include "search/problem.h"

namespace nightshift::tools {

// What `compare` and other commands take as one configuration of a problem:
//
//   baseline                  the problem's baseline; also where nothing is said
//   NAME=VALUE,NAME=VALUE     the parameters named, the others as in the baseline. A comma
//                             separates only where a parameter's name and `=` follow, so that
//                             values may hold commas
//   FILE.json                 as `nightshift export --format json` writes it, or the bare object
//                             {NAME: VALUE}; complete or not
//   STUDY                     the best configuration of a study folder
//
// The baseline is the empty configuration. Throws UsageError with all that is wrong: unknown names
// and values with what is near, constraints that do not hold.
search::Configuration read_contender(const std::string& text, const search::Problem& problem,
                                     const search::ParameterSpace& space);

// Members of "NAME=VALUE,..." as they stand there; for a text without `=` one with an empty name.
struct Assignment {
  std::string name, value;
  friend bool operator==(const Assignment&, const Assignment&) = default;
};
std::vector<Assignment> assignments_of(const std::string& text,
                                       const std::vector<search::Parameter>& parameters);

// What stands on one side of a comparison: a configuration as above and, among its members, keys of
// the problem file that say how it is built, "host.compiler=clang++,UNROLL=4". Without a
// configuration it is the baseline. Throws UsageError for another key of such a table.
struct Side {
  std::vector<problems::Override> overrides;
  std::string configuration;
};
Side side_of(const std::string& text, const std::vector<search::Parameter>& parameters);

// The best configuration of a study; empty where that is the baseline. Throws UsageError where
// nothing could be measured, and JournalError.
search::Configuration best_of_study(const std::string& folder);

}  // namespace nightshift::tools
