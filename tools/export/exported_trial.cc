#include "tools/export/exported_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <variant>

#include "tools/summary/history_lookup.h"

namespace nightshift::tools {

using scheduler::History;
using scheduler::TrialRecord;

std::map<search::TrialId, const TrialRecord*> failures_when_confirmed(const History& history) {
  std::map<search::TrialId, const TrialRecord*> failures;
  for (const TrialRecord& trial : history.trials) {
    if (failed_when_confirmed(trial)) failures.emplace(trial.proposed.candidate, &trial);
  }
  return failures;
}

namespace {

std::vector<const TrialRecord*> explored_points(const History& history,
                                                const search::Problem& problem) {
  std::vector<const TrialRecord*> points;
  std::map<std::string, std::size_t> known;
  for (const scheduler::HistoryEvent& event : history.events) {
    const auto* finished = std::get_if<scheduler::FinishedEvent>(&event);
    if (finished == nullptr || !history.trials[finished->trial].finished) continue;
    const TrialRecord& trial = history.trials[finished->trial];
    const search::Configuration& given = trial.proposed.configuration;
    const bool explored = trial.proposed.job == search::JobKind::kExplore;
    const bool reference = trial.proposed.job == search::JobKind::kBaseline &&
                           search::baseline_configuration(problem).has_value();
    if (!explored && !reference) continue;
    const auto [place, added] =
        known.emplace(search::resolved(problem, given).to_json(), points.size());
    if (added) {
      points.push_back(&trial);
    } else if (explored && points[place->second]->proposed.job != search::JobKind::kExplore) {
      points[place->second] = &trial;
    }
  }
  return points;
}

}  // namespace

std::vector<ExportedPoint> exported_points(const History& history, const search::Problem& problem) {
  const auto failures = failures_when_confirmed(history);
  std::vector<ExportedPoint> points;
  for (const TrialRecord* trial : explored_points(history, problem)) {
    const TrialRecord& speaker = speaker_for(history, *trial);
    const auto failed = failures.find(speaker.proposed.id);
    points.push_back({trial, failed == failures.end() ? &speaker : failed->second});
  }
  return points;
}

ExportedTimes exported_times(const search::TrialCost& cost) {
  if (cost.simulated <= 0) return {cost.build, cost.check, cost.measure};
  return {cost.build, 0, std::max(0.0, cost.simulated - cost.build)};
}

const char* failure_mark(const search::TrialOutcome& outcome) {
  return std::holds_alternative<search::BuildFailed>(outcome) ? "CompilationFailedConfig"
                                                              : "RuntimeFailedConfig";
}

std::string exported_timestamp(double unix_seconds) {
  const double whole = std::floor(unix_seconds);
  const std::time_t seconds = static_cast<std::time_t>(whole);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &utc);
  return text + fmt::format(".{:06}+00:00", static_cast<int>((unix_seconds - whole) * 1e6));
}

std::string exported_device(const History& history, const search::Problem& problem) {
  for (const TrialRecord& trial : history.trials) {
    const search::Measurement* measurement = scheduler::measurement_of(trial);
    if (measurement == nullptr || !search::is_recorded(problem)) continue;
    for (const auto& [name, value] : measurement->conditions) {
      if (name == "device" && !value.empty()) return value;
    }
  }
  const std::string wanted = search::is_on_gpus(problem) ? "gpu 0" : "cpu";
  for (const auto& [name, value] : history.header.environment) {
    if (name == wanted) return value.substr(0, value.find(" GPU-"));
  }
  for (const TrialRecord& trial : history.trials) {
    if (trial.finished && !trial.finished->device.empty()) return trial.finished->device;
  }
  return "";
}

}  // namespace nightshift::tools
