#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightshift::search {

// Raw repetitions of one figure, in the unit of its objective, in the order they were taken.
struct Samples {
  std::string objective;
  std::vector<double> values;

  friend bool operator==(const Samples&, const Samples&) = default;
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
