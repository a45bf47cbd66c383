#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "search/importance/space_model.h"

// What tests of models of a space are fitted to.
namespace nightshift::search {

using Digits = std::vector<std::uint32_t>;

inline std::vector<Parameter> three(std::int64_t values) {
  std::vector<Parameter> parameters;
  for (const char* name : {"A", "B", "C"}) {
    Parameter parameter;
    parameter.name = name;
    for (std::int64_t v = 0; v < values; ++v) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

template <class F>
std::vector<ModelPoint> drawn(std::size_t count, std::uint64_t values, const F& f) {
  base::Rng rng(5);
  std::vector<ModelPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    ModelPoint point;
    for (int p = 0; p < 3; ++p) {
      point.digits.push_back(static_cast<std::uint32_t>(rng.below(values)));
    }
    point.target = f(point.digits, rng);
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace nightshift::search
