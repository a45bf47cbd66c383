#include "search/acceptance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>

#include "search/statistics/distributions.h"
#include "search/statistics/location_tests.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

std::string formatted(const char* format, double x) {
  char text[64];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

// "3.1 % better", "0.4 % worse"; `gain` is 1 - candidate/incumbent.
std::string as_gain(double gain) {
  return formatted("%.3g", 100 * std::abs(gain)) + " % " + (gain >= 0 ? "better" : "worse");
}

std::string as_p(double p) { return "p = " + formatted("%.2g", p); }

std::string on_devices(const std::vector<DeviceVisits>& devices) {
  if (devices.size() == 1) return "on " + devices.front().device;
  return "on all " + std::to_string(devices.size()) + " devices";
}

// What makes the visits of one device unusable, if anything does.
std::optional<std::string> flaw_of(const DeviceVisits& visits) {
  const std::pair<const char*, const std::vector<double>*> arms[] = {
      {"candidate", &visits.candidate},
      {"incumbent", &visits.incumbent},
      {"baseline", &visits.baseline}};
  for (const auto& [name, values] : arms) {
    if (values->empty()) return "device " + visits.device + " has no visit of the " + name;
    if (!std::ranges::all_of(*values, [](double x) { return std::isfinite(x) && x > 0; })) {
      return "device " + visits.device + " has a visit of the " + name +
             " that is not a positive number";
    }
  }
  return std::nullopt;
}

std::optional<std::string> flaw_of(const std::vector<DeviceVisits>& devices) {
  if (devices.empty()) return "no device took part";
  for (const DeviceVisits& visits : devices) {
    if (auto flaw = flaw_of(visits)) return flaw;
  }
  return std::nullopt;
}

struct Pooled {
  std::vector<double> candidate, incumbent;
};

// Relative to the incumbent of the same device, so that slow devices count like fast ones.
Pooled pool(const std::vector<DeviceVisits>& devices) {
  Pooled pooled;
  for (const DeviceVisits& visits : devices) {
    const double unit = mean_of(visits.incumbent);
    for (const double x : visits.candidate) pooled.candidate.push_back(x / unit);
    for (const double x : visits.incumbent) pooled.incumbent.push_back(x / unit);
  }
  return pooled;
}

// The logarithm of the geometric mean over devices of mean(candidate)/mean(baseline), by the delta
// method: each of the 2 D means brings its relative variance, and Satterthwaite's rule joins them.
void estimate_ratio(const std::vector<DeviceVisits>& devices, Verdict& verdict) {
  const auto count = static_cast<double>(devices.size());
  double log_ratio = 0;
  double variance = 0;
  double weight = 0;
  bool known = true;
  const auto add = [&](std::span<const double> values, double sign) {
    const double mean = mean_of(values);
    const double relative = sd_of(values) / mean;
    const auto n = static_cast<double>(values.size());
    const double part = relative * relative / n / (count * count);
    known = known && values.size() >= 2;
    log_ratio += sign * std::log(mean) / count;
    variance += part;
    weight += part * part / (n - 1);
  };
  for (const DeviceVisits& visits : devices) {
    add(visits.candidate, 1);
    add(visits.baseline, -1);
  }
  verdict.ratio = std::exp(log_ratio);
  double reach = 0;
  if (!known) {
    verdict.interval = {0, std::numeric_limits<double>::infinity()};
    return;
  }
  if (weight > 0)
    reach = student_upper_quantile(0.025, variance * variance / weight) * std::sqrt(variance);
  verdict.interval = {std::exp(log_ratio - reach), std::exp(log_ratio + reach)};
}

Acceptance decide(const std::vector<DeviceVisits>& devices, const AcceptanceSettings& settings,
                  const Pooled& pooled, double p) {
  const double gain = 1 - mean_of(pooled.candidate) / mean_of(pooled.incumbent);
  const std::string overall = "candidate " + as_gain(gain) + " than the incumbent";
  if (gain <= 0) return Reject{gain == 0 ? "candidate equals the incumbent" : overall};
  if (gain < settings.min_improvement) {
    return Reject{overall + ", less than the " + formatted("%.3g", 100 * settings.min_improvement) +
                  " % that is worth accepting"};
  }
  for (const DeviceVisits& visits : devices) {
    const double here = 1 - mean_of(visits.candidate) / mean_of(visits.incumbent);
    if (here > 0) continue;
    return Reject{"devices disagree: " + overall + " over all, but " +
                  (here < 0 ? as_gain(here) : std::string("no better")) + " on " + visits.device};
  }
  if (pooled.candidate.size() < 2 || pooled.incumbent.size() < 2) {
    return NeedMore{1, overall + ", but one visit of each shows nothing"};
  }
  const std::string level = formatted("%.2g", settings.level);
  if (!(p < settings.level)) {
    return Reject{overall + ", which may be chance: " + as_p(p) + " >= " + level};
  }
  return Accept{overall + ", " + as_p(p) + " < " + level + ", " + on_devices(devices)};
}

}  // namespace

Verdict judge(const std::vector<DeviceVisits>& devices, const AcceptanceSettings& settings) {
  Verdict verdict;
  verdict.interval = {0, std::numeric_limits<double>::infinity()};
  if (auto flaw = flaw_of(devices)) {
    verdict.acceptance = Reject{*std::move(flaw)};
    return verdict;
  }
  estimate_ratio(devices, verdict);
  const Pooled pooled = pool(devices);
  verdict.p_value = welch_less(pooled.candidate, pooled.incumbent).p;
  verdict.acceptance = decide(devices, settings, pooled, verdict.p_value);
  return verdict;
}

std::string_view name_of(const Acceptance& acceptance) {
  if (std::holds_alternative<Accept>(acceptance)) return "accept";
  return std::holds_alternative<Reject>(acceptance) ? "reject" : "need more";
}

const std::string& reason_of(const Acceptance& acceptance) {
  return std::visit([](const auto& a) -> const std::string& { return a.reason; }, acceptance);
}

}  // namespace nightshift::search
