#include "tools/profile/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "search/statistics/summary.h"
#include "tools/summary/json_number.h"
#include "tools/summary/spread.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kConfidence = 0.95;
constexpr double kMicro = 1e6;
constexpr double kTold = 0.05;  // shares of warps' time below this are left out
constexpr const char* kAtWork = "selected";

std::string time_text(double seconds) { return format_value(seconds * kMicro, "us"); }

std::string interval_text(const search::Interval& interval) {
  if (!is_bounded(interval)) return "";
  return format_interval({interval.low * kMicro, interval.high * kMicro}, "us");
}

std::string percent_text(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.1f} %", *percent) : "-";
}

std::string launches_text(const ProfiledCase& one) {
  Rows rows = {{"launch", "time", "", "share"}};
  for (const ProfiledLaunch& launch : one.launches) {
    rows.push_back({one_line(launch.kernel), time_text(launch.seconds),
                    interval_text(launch.interval), fmt::format("{:.1f} %", 100 * launch.share)});
  }
  if (one.launches.size() > 1) rows.push_back({"together", time_text(one.seconds), "", ""});
  return (one.sizes.empty() ? "" : "  " + one_line(one.sizes) + "\n") + table(rows, 4);
}

double share_of(const LaunchCounters& counters, const std::string& reason) {
  const auto it = std::ranges::find(counters.warps, reason, &std::pair<std::string, double>::first);
  return it == counters.warps.end() ? 0 : it->second;
}

// What takes more than a little of some launch's warps, that which takes most first.
std::vector<std::string> reasons_of(const std::vector<LaunchCounters>& launches) {
  std::vector<std::pair<double, std::string>> most;
  for (const LaunchCounters& launch : launches) {
    for (const auto& [reason, share] : launch.warps) {
      auto it = std::ranges::find(most, reason, &std::pair<double, std::string>::second);
      if (it == most.end()) it = most.insert(most.end(), {0, reason});
      it->first = std::max(it->first, share);
    }
  }
  std::erase_if(most, [](const auto& one) { return one.first < kTold; });
  std::ranges::stable_sort(most, std::greater(), &std::pair<double, std::string>::first);
  std::vector<std::string> reasons;
  for (auto& [share, reason] : most) reasons.push_back(std::move(reason));
  return reasons;
}

// A column for each launch.
std::string warps_text(const std::vector<LaunchCounters>& launches) {
  Rows rows = {{"warps wait for"}};
  for (const LaunchCounters& launch : launches) rows[0].push_back(one_line(launch.kernel));
  for (const std::string& reason : reasons_of(launches)) {
    rows.push_back({reason == kAtWork ? "nothing: they work" : one_line(words_of_stall(reason))});
    for (const LaunchCounters& launch : launches) {
      rows.back().push_back(fmt::format("{:.0f} %", 100 * share_of(launch, reason)));
    }
  }
  return rows.size() < 2 ? "" : table(rows, 4);
}

bool has_counters(const ProfiledCase& one) {
  return std::ranges::any_of(one.launches,
                             [](const ProfiledLaunch& l) { return l.counters.has_value(); });
}

std::string counters_text(const ProfiledCase& one) {
  Rows rows = {{"launch", "alone", "memory", "L2", "arithmetic", "occupancy"}};
  std::vector<LaunchCounters> counted;
  for (const ProfiledLaunch& launch : one.launches) {
    if (!launch.counters) continue;
    const LaunchCounters& c = counted.emplace_back(*launch.counters);
    counted.back().kernel = launch.kernel;
    rows.push_back({one_line(launch.kernel), c.seconds ? time_text(*c.seconds) : "-",
                    percent_text(c.dram), percent_text(c.l2), percent_text(c.compute),
                    percent_text(c.occupancy)});
  }
  return (one.sizes.empty() ? "" : "  " + one_line(one.sizes) + "\n") + table(rows, 4) +
         warps_text(counted);
}

std::string trial_text(const ProfiledTrial& trial) {
  std::string text = "\n" + trial.name;
  if (!trial.configuration.is_baseline()) text += "  " + format_configuration(trial.configuration);
  text += "\n";
  if (!trial.ceilings.empty()) text += "  " + one_line(trial.ceilings) + "\n";
  for (const ProfiledCase& one : trial.cases) text += launches_text(one);
  const bool counted = std::ranges::any_of(trial.cases, has_counters);
  if (counted) text += "\n  Counters, each launch alone at the clock that it finds\n";
  for (const ProfiledCase& one : trial.cases) {
    if (has_counters(one)) text += counters_text(one);
  }
  if (!trial.untold.empty()) {
    text += paragraph("Where the device stalls is not told: " + one_line(trial.untold) + ".", 2);
  }
  return text;
}

Json counters_json(const LaunchCounters& c) {
  const auto fraction = [](const std::optional<double>& percent) {
    return percent ? Json(*percent / 100) : Json();
  };
  Json warps = Json::object();
  for (const auto& [reason, share] : c.warps) warps[reason] = share;
  return {{"kernel", c.kernel},
          {"seconds", c.seconds ? Json(*c.seconds) : Json()},
          {"memory", fraction(c.dram)},
          {"l2", fraction(c.l2)},
          {"arithmetic", fraction(c.compute)},
          {"occupancy", fraction(c.occupancy)},
          {"warps", std::move(warps)}};
}

Json case_json(const ProfiledCase& one) {
  Json launches = Json::array();
  for (const ProfiledLaunch& l : one.launches) {
    Json launch = {{"kernel", l.kernel},
                   {"seconds", l.seconds},
                   {"interval", is_bounded(l.interval) ? interval_json(l.interval) : Json()},
                   {"share", l.share}};
    launch["counters"] = l.counters ? counters_json(*l.counters) : Json();
    launches.push_back(std::move(launch));
  }
  return {{"sizes", one.sizes}, {"seconds", one.seconds}, {"launches", std::move(launches)}};
}

}  // namespace

std::vector<ProfiledCase> profiled_cases(const std::vector<search::LaunchSamples>& launches,
                                         const std::vector<std::string>& sizes) {
  std::vector<ProfiledCase> cases;
  for (const std::string& words : sizes) cases.push_back({words, {}, 0});
  for (const search::LaunchSamples& samples : launches) {
    if (samples.sizes >= cases.size() || samples.seconds.empty()) continue;
    ProfiledCase& one = cases[samples.sizes];
    const double seconds = search::median_of(samples.seconds);
    one.launches.push_back({samples.kernel, seconds,
                            search::median_interval(samples.seconds, kConfidence), 0,
                            std::nullopt});
    one.seconds += seconds;
  }
  for (ProfiledCase& one : cases) {
    for (ProfiledLaunch& launch : one.launches) launch.share = launch.seconds / one.seconds;
  }
  return cases;
}

std::string add_counters(const std::vector<LaunchCounters>& counted,
                         std::vector<ProfiledCase>& cases) {
  std::size_t launches = 0;
  for (const ProfiledCase& one : cases) launches += one.launches.size();
  if (counted.size() != launches) {
    return fmt::format("the profiler counted {} of {} launches", counted.size(), launches);
  }
  auto next = counted.begin();
  for (ProfiledCase& one : cases) {
    for (ProfiledLaunch& launch : one.launches) launch.counters = *next++;
  }
  return "";
}

std::string profile_text(const ProfileReport& report) {
  std::string text = report.study + " on " + one_line(report.device) + "\n";
  text += paragraph(
      fmt::format("What each launch adds to those before it, in {} rounds.", report.rounds), 0);
  for (const ProfiledTrial& trial : report.trials) text += trial_text(trial);
  return text;
}

Json profile_json(const ProfileReport& report) {
  Json trials = Json::array();
  for (const ProfiledTrial& t : report.trials) {
    Json configuration = Json::object();
    for (const auto& [name, value] : t.configuration.entries()) {
      std::visit([&, key = name](const auto& v) { configuration[key] = v; }, value);
    }
    Json cases = Json::array();
    for (const ProfiledCase& one : t.cases) cases.push_back(case_json(one));
    trials.push_back({{"name", t.name},
                      {"configuration", std::move(configuration)},
                      {"artifact", t.artifact},
                      {"ceilings", t.ceilings},
                      {"cases", std::move(cases)},
                      {"untold", t.untold}});
  }
  return {{"study", report.study},
          {"device", report.device},
          {"profiler", report.profiler},
          {"rounds", report.rounds},
          {"trials", std::move(trials)}};
}

}  // namespace nightshift::tools
