#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "search/importance/space_model.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// A configuration that was tried, and whether it worked: within all limits, in every evaluation.
struct TriedPoint {
  std::vector<std::uint32_t> digits;
  bool works = false;
  double target = 0;  // where it works; lower is better
};

struct Advice {
  ConfigurationIndex configuration;
  double target = 0;  // expected
  double works = 0;   // the chance that it does
};

// The configuration of the space that was not tried and of which `model` expects the lowest target.
// What is as likely as one in five not to work is never advised, nor what `is_allowed` refuses.
// What is looked at is around the best that were tried, around what is found so, and a sample.
// nullopt: nothing is left.
std::optional<Advice> advise(
    const ParameterSpace& space, const SpaceModel& model, const std::vector<TriedPoint>& tried,
    const std::function<bool(const std::vector<std::uint32_t>&)>& is_allowed);

}  // namespace nightshift::search
