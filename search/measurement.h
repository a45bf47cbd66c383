#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightshift::search {

// What the condition is called that holds the figures of a kernel against what its device can do.
inline constexpr std::string_view kCeilingsCondition = "ceilings";

// Raw repetitions of one figure, in the unit of its objective, in the order they were taken.
struct Samples {
  std::string objective;
  std::vector<double> values;
  // Of a problem with several cases the repetitions of each, of which `values` are the aggregate;
  // empty where there is one case, or where a figure has none for each.
  std::vector<std::vector<double>> cases = {};

  friend bool operator==(const Samples&, const Samples&) = default;
};

// Seconds that a launch adds to those before it in an execution, one for each round in which all
// were measured: its own time, with the gap before it and caches as the launches before it leave
// them.
struct LaunchSamples {
  std::uint32_t sizes = 0;  // of the problem's cases, the position of the one it was launched for
  std::string kernel;       // as the problem calls it
  std::vector<double> seconds;

  friend bool operator==(const LaunchSamples&, const LaunchSamples&) = default;
};

// What a trial measured: the samples of every objective and the conditions they were taken under
// (clock, temperature, cores, cache state, ...: names with values and units as text).
struct Measurement {
  std::vector<Samples> figures;
  std::vector<std::pair<std::string, std::string>> conditions;
  // Given up after its first samples, since they were beyond EvaluateRequest::give_up_above: the
  // full measurement would hardly have been better than these.
  bool censored = false;
  // What the hardware itself reported against this evaluation ("thermal throttling, 12 events");
  // empty where it reported nothing. Never judged from the samples: a slow evaluation is not a
  // disturbed one.
  std::string disturbance = {};
  std::vector<LaunchSamples> launches = {};  // where Timed::kEachLaunch asks for them, in order

  // Empty where there is no such condition.
  std::string condition(std::string_view name) const {
    for (const auto& [known, value] : conditions) {
      if (known == name) return value;
    }
    return {};
  }
  // nullptr where nothing was measured under that name.
  const Samples* find(std::string_view objective) const {
    for (const Samples& s : figures) {
      if (s.objective == objective) return &s;
    }
    return nullptr;
  }

  friend bool operator==(const Measurement&, const Measurement&) = default;
};

}  // namespace nightshift::search
