#include "tools/bundle/stored_export.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/summary/identity_json.h"
#include "tools/summary/json_number.h"

namespace nightshift::tools {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : "";
}

// A file is looked for by this name, and one may be written.
std::string hash_of(const json& object, const char* key) {
  const std::string text = text_of(object, key);
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return std::ranges::all_of(text, is_plain) ? text : "";
}

double positive_of(const json& number) {
  const double value = number.is_number() ? number.get<double>() : 0;
  return std::isfinite(value) && value > 0 ? value : 0;
}

search::Interval interval_of(const json& interval) {
  if (!interval.is_array() || interval.size() != 2) return search::kUnbounded;
  const double low = positive_of(interval[0]), high = positive_of(interval[1]);
  return low > 0 && low <= high ? search::Interval{low, high} : search::kUnbounded;
}

}  // namespace

std::optional<StoredExport> read_export(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  const bool is_export = object.is_object() && object.contains("improvement") &&
                         object.contains("configuration") && object.contains("accepted");
  if (!is_export) return std::nullopt;
  StoredExport stored;
  stored.problem = text_of(object, "problem");
  stored.problem_file = text_of(object, "problem_file");
  stored.artifact = hash_of(object, "artifact");
  if (object.contains("baseline"))
    stored.baseline_artifact = hash_of(object["baseline"], "artifact");
  if (object.contains("made_of")) stored.made_of = identity_of(object["made_of"]);
  const json& improvement = object["improvement"];
  if (improvement.is_object() && improvement.contains("ratio")) {
    const double ratio = positive_of(improvement["ratio"]);
    // Of a figure that is compared by its difference there is none.
    const bool has_gain = ratio > 0 || improvement.contains("difference");
    stored.accepted = object["accepted"] == true && has_gain;
    if (ratio > 0) stored.ratio = ratio;
    if (improvement.contains("interval")) stored.interval = interval_of(improvement["interval"]);
    stored.interval.confidence = confidence_in(improvement);
  }
  return stored;
}

}  // namespace nightshift::tools
