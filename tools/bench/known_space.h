#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "search/parameter_space.h"

namespace nightshift::bench {

// A search space whose size is known from a source: what bench-space builds beside its peers, and
// what tests count.
struct KnownSpace {
  std::string name;
  std::vector<search::Parameter> parameters;
  std::vector<std::string> constraints;
  std::string valid;  // how many configurations, where a source says it

  std::vector<search::Expression> parsed() const {
    std::vector<search::Expression> expressions;
    for (const std::string& text : constraints) {
      expressions.push_back(search::Expression::parse(text));
    }
    return expressions;
  }
  search::ParameterSpace build() const { return {parameters, parsed()}; }
};

namespace detail {

using Integers = std::vector<std::int64_t>;

inline search::Parameter parameter(std::string name, const Integers& values) {
  search::Parameter result;
  result.name = std::move(name);
  result.values.assign(values.begin(), values.end());
  return result;
}

inline Integers range(std::int64_t first, std::int64_t last, std::int64_t step = 1) {
  Integers values;
  for (std::int64_t v = first; v <= last; v += step) values.push_back(v);
  return values;
}

inline Integers powers(std::int64_t first, std::int64_t last) {
  Integers values;
  for (std::int64_t v = first; v <= last; v *= 2) values.push_back(v);
  return values;
}

inline Integers joined(Integers a, const Integers& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace detail

}  // namespace nightshift::bench
