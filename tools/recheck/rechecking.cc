#include "tools/recheck/rechecking.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/text/format.h"

namespace nightshift::tools {

using nlohmann::ordered_json;

std::optional<ExitCode> exit_code_of(const Rechecking& run) {
  if (run.stopped) return ExitCode::kInterrupted;
  if (!run.device_error.empty()) return ExitCode::kDevice;
  return std::nullopt;
}

Mood mood_of(ExitCode code) {
  return code == ExitCode::kSuccess || code == ExitCode::kSecondBetter ? Mood::kGood : Mood::kBad;
}

std::string rechecking_text(const Rechecking& run) {
  std::string text =
      fmt::format("{} in {}, of which {} to build.", count_of(run.evaluations, "evaluation"),
                  format_duration(run.seconds), format_duration(run.build_seconds));
  if (run.stopped) text += " Stopped by a signal.";
  if (!run.device_error.empty()) {
    text += " It ended early: " + one_line(run.device_error) + ".";
  }
  return text;
}

void add_rechecking(ordered_json& object, const Rechecking& run) {
  object["notices"] = run.notices;
  object["evaluations"] = run.evaluations;
  object["build_seconds"] = run.build_seconds;
  object["seconds"] = run.seconds;
  object["stopped"] = run.stopped;
  object["device_error"] =
      run.device_error.empty() ? ordered_json() : ordered_json(run.device_error);
}

ordered_json hash_json(const std::string& hash) {
  return hash.empty() ? ordered_json() : ordered_json(hash);
}

}  // namespace nightshift::tools
