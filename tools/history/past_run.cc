#include "tools/history/past_run.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/summary/identity_json.h"
#include "tools/summary/json_number.h"

namespace nightshift::tools {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kVersionKey = "nightshift_history";
constexpr int kVersion = 1;

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_of(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<double> number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : number_of(*found);
}

std::optional<double> positive_at(const json& object, const char* key) {
  const auto number = number_at(object, key);
  return number && *number > 0 ? number : std::nullopt;
}

search::Interval interval_of(const json& ends) {
  if (!ends.is_array() || ends.size() != 2) return search::kUnbounded;
  const auto low = number_of(ends[0]), high = number_of(ends[1]);
  const bool is_one = low && high && *low > 0 && *low <= *high;
  return is_one ? search::Interval{*low, *high} : search::kUnbounded;
}

search::Objective objective_of(const json& object) {
  search::Objective objective;
  if (!object.is_object()) return objective;
  objective.name = text_at(object, "name");
  objective.unit = text_at(object, "unit");
  if (text_at(object, "direction") == "maximise") {
    objective.direction = search::Direction::kMaximise;
  }
  objective.difference_scale = positive_at(object, "difference_scale").value_or(0);
  return objective;
}

ordered_json number_or_null(const std::optional<double>& value) {
  return value ? number_json(*value) : ordered_json();
}

ordered_json configuration_json(const std::string& text) {
  ordered_json parsed = ordered_json::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : ordered_json();
}

}  // namespace

std::string_view name_of(PastRun::What what) {
  return what == PastRun::What::kStudy ? "study" : "recheck";
}

std::string line_of(const PastRun& run) {
  const bool maximised = run.objective.direction == search::Direction::kMaximise;
  const ordered_json object = {{kVersionKey, kVersion},
                               {"begun", number_json(run.begun)},
                               {"at", number_json(run.at)},
                               {"what", name_of(run.what)},
                               {"problem", run.problem},
                               {"file", run.file},
                               {"settings", run.settings},
                               {"study", run.study},
                               {"said", run.said},
                               {"objective",
                                {{"name", run.objective.name},
                                 {"unit", run.objective.unit},
                                 {"direction", maximised ? "maximise" : "minimise"},
                                 {"difference_scale", run.objective.difference_scale}}},
                               {"baseline", number_or_null(run.baseline)},
                               {"best", number_or_null(run.best)},
                               {"ceiling", number_or_null(run.ceiling)},
                               {"ratio", number_or_null(run.ratio)},
                               {"interval", interval_json(run.interval)},
                               {"confidence", run.interval.confidence},
                               {"accepted", run.accepted},
                               {"configuration", configuration_json(run.configuration)},
                               {"made_of", identity_json(run.made_of)}};
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::optional<PastRun> past_run_of(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || object.value(kVersionKey, json()) != kVersion) return std::nullopt;
  const std::string what = text_at(object, "what");
  const auto at = number_at(object, "at");
  if (!at || (what != "study" && what != "recheck")) return std::nullopt;
  PastRun run;
  run.at = *at;
  run.begun = number_at(object, "begun").value_or(*at);
  run.what = what == "study" ? PastRun::What::kStudy : PastRun::What::kRecheck;
  run.problem = text_at(object, "problem");
  run.file = text_at(object, "file");
  for (const json& setting : object.value("settings", json::array())) {
    if (setting.is_string()) run.settings.push_back(setting.get<std::string>());
  }
  run.study = text_at(object, "study");
  run.said = text_at(object, "said");
  run.objective = objective_of(object.value("objective", json()));
  run.baseline = positive_at(object, "baseline");
  run.best = positive_at(object, "best");
  run.ceiling = positive_at(object, "ceiling");
  run.ratio = positive_at(object, "ratio");
  run.interval = interval_of(object.value("interval", json()));
  run.interval.confidence = confidence_in(object);
  run.accepted = run.ratio && object.value("accepted", json()) == true;
  const json configuration = object.value("configuration", json());
  if (configuration.is_object()) run.configuration = configuration.dump();
  run.made_of = identity_of(object.value("made_of", json()));
  return run;
}

}  // namespace nightshift::tools
