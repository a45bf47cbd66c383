#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "search/statistics/interval.h"

namespace nightshift::search {

// How a confirmation is run and judged; from the problem file.
struct AcceptanceSettings {
  double level = 0.01;  // one-sided error level of the test
  double min_improvement =
      0.005;        // smallest gain over the incumbent worth accepting (0.005 = 0.5 %)
  int rounds = 5;   // visits of each arm on each device
  int devices = 0;  // how many devices take part; 0 = all
};

// The visits of one device in a confirmation: one cost per round and arm (visit medians relative
// to nothing: in the unit of the objective, already oriented so that lower is better; of several
// objectives their product as Scoring::cost has it).
struct DeviceVisits {
  std::string device;
  std::vector<double> candidate;
  std::vector<double> incumbent;  // equals `baseline` while nothing was accepted yet
  std::vector<double> baseline;
};

struct Accept {
  std::string reason;
};
struct Reject {
  std::string reason;
};
struct NeedMore {
  int rounds = 0;
  std::string reason;
};  // further rounds on each device
using Acceptance = std::variant<Accept, Reject, NeedMore>;

struct Verdict {
  Acceptance acceptance;
  double ratio = 1;    // candidate over baseline, geometric mean over devices; lower is better
  Interval interval;   // 95 % of `ratio`
  double p_value = 1;  // that the candidate is no better than the incumbent
};

// Joins the visits into one verdict. Accepted when Welch's t test on the pooled visits, each
// divided by its device's mean incumbent visit, shows candidate < incumbent at `level`, the gain is
// at least `min_improvement`, and the candidate's mean is below the incumbent's on every device.
// Pure; a device without any visits rejects (a lost device is never counted as agreement).
Verdict judge(const std::vector<DeviceVisits>& devices, const AcceptanceSettings& settings);

std::string_view name_of(const Acceptance& acceptance);  // "accept", "reject", "need more"
const std::string& reason_of(const Acceptance& acceptance);

}  // namespace nightshift::search
