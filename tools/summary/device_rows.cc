#include "tools/summary/device_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "search/scoring.h"
#include "tools/summary/gain_json.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using scheduler::GainThere;
using scheduler::KindStanding;
using scheduler::PlaceStanding;
using scheduler::StudySummary;

std::string pace_text(const PlaceStanding& place) {
  if (!place.pace) return "-";
  return *place.pace > 1 ? format_percent(*place.pace - 1) + " worse" : "the best";
}

std::string pairs_text(int pairs) { return count_of(static_cast<std::uint64_t>(pairs), "pair"); }

std::string change_text(const search::Objective& objective, double ratio,
                        const search::Interval& interval, int pairs) {
  return format_change(objective, ratio, interval) + ", " + pairs_text(pairs);
}

const char* holds_text(const std::optional<GainThere>& gain) {
  if (!gain) return "undecided";
  switch (gain->holds) {
    case GainThere::Holds::kYes:
      return "holds";
    case GainThere::Holds::kNo:
      return "does not hold";
    case GainThere::Holds::kUndecided:
      break;
  }
  return "undecided";
}

const char* answer_of(GainThere::Holds holds) {
  return holds == GainThere::Holds::kYes  ? "yes"
         : holds == GainThere::Holds::kNo ? "no"
                                          : "undecided";
}

std::string gain_text(const PlaceStanding& place, const search::Objective& objective) {
  if (!place.gain) return "no pairs with the baseline";
  return change_text(objective, place.gain->ratio, place.gain->interval, place.gain->pairs);
}

std::string baseline_text(const StudySummary& summary, const PlaceStanding& place,
                          const search::Objective& objective) {
  if (place.devices.size() > 1) return count_of(place.devices.size(), "device");
  for (const StudySummary::DeviceBaseline& b : summary.baselines) {
    const auto figure = std::ranges::find(b.figures, objective.name, &StudySummary::Figure::name);
    if (b.device == place.devices.front() && figure != b.figures.end()) {
      return format_figure(figure->name, figure->value, figure->unit);
    }
  }
  return "-";
}

std::string best_text(const std::optional<KindStanding::Best>& best,
                      const search::Objective& objective) {
  if (!best) return "-";
  const std::string trial = "trial " + std::to_string(best->trial.value) + ": ";
  if (best->pairs == 0) return trial + format_change(objective, best->ratio) + ", explored once";
  return trial + change_text(objective, best->ratio, best->interval, best->pairs);
}

ordered_json there_json(const std::optional<GainThere>& gain, const search::Objective& judged) {
  if (!gain) return nullptr;
  ordered_json object = gain_json(judged, gain->ratio, gain->interval);
  object["pairs"] = gain->pairs;
  object["holds"] = answer_of(gain->holds);
  return object;
}

ordered_json place_json(const PlaceStanding& place, const search::Objective& judged) {
  return {{"devices", place.devices},
          {"baseline_over_fastest", place.pace ? number_json(*place.pace) : ordered_json()},
          {"gain", there_json(place.gain, judged)}};
}

ordered_json best_json(const std::optional<KindStanding::Best>& best,
                       const search::Objective& judged) {
  if (!best) return nullptr;
  ordered_json object = {{"trial", best->trial.value},
                         {"configuration", ordered_json::parse(best->configuration.to_json())}};
  object.update(
      gain_json(judged, best->ratio, best->pairs > 0 ? best->interval : search::kUnbounded));
  if (best->pairs == 0) object["interval"] = nullptr;
  object["pairs"] = best->pairs;
  return object;
}

}  // namespace

Rows device_rows(const StudySummary& summary, const search::Problem& problem) {
  const scheduler::DeviceMatrix& matrix = summary.matrix;
  if (matrix.devices.empty()) return {};
  const search::Objective primary = search::primary_objective(problem);
  const search::Objective judged = search::judged_objective(problem);
  const bool any_gain =
      summary.won_duels || std::ranges::any_of(matrix.devices, [](const PlaceStanding& place) {
        return place.gain.has_value();
      });
  Rows rows = {{"device", "baseline", "to the best baseline"}};
  if (any_gain) rows.front().insert(rows.front().end(), {"gain of the best", ""});
  const auto add = [&](const std::vector<PlaceStanding>& places) {
    for (const PlaceStanding& place : places) {
      rows.push_back({place.name, baseline_text(summary, place, primary), pace_text(place)});
      if (!any_gain) continue;
      rows.back().push_back(gain_text(place, judged));
      rows.back().emplace_back(holds_text(place.gain));
    }
  };
  add(matrix.devices);
  if (matrix.nodes.size() < matrix.devices.size()) add(matrix.nodes);
  return rows;
}

Rows kind_rows(const StudySummary& summary, const search::Problem& problem) {
  if (summary.matrix.kinds.empty()) return {};
  const search::Objective judged = search::judged_objective(problem);
  Rows rows = {{"kind of device", "gain of the best", "", "confirmed there",
                "better, measured, not confirmed"}};
  for (const KindStanding& kind : summary.matrix.kinds) {
    rows.push_back({kind.place.name, gain_text(kind.place, judged), holds_text(kind.place.gain),
                    best_text(kind.confirmed, judged), best_text(kind.seen, judged)});
  }
  return rows;
}

std::string kinds_answer(const StudySummary& summary) {
  const std::vector<KindStanding>& kinds = summary.matrix.kinds;
  if (kinds.empty()) return "";
  const std::string asked = "Is one configuration good on all kinds of device? ";
  if (!summary.best) return asked + "None works on any.";
  const std::string best = "trial " + std::to_string(summary.best->trial.value);
  if (summary.matrix.good_on_all == GainThere::Holds::kYes) {
    return asked + "Yes: the gain of " + best + " holds on each of them.";
  }
  const bool is_no = summary.matrix.good_on_all == GainThere::Holds::kNo;
  std::string where;
  for (const KindStanding& kind : kinds) {
    const auto holds = kind.place.gain ? kind.place.gain->holds : GainThere::Holds::kUndecided;
    const bool speaks = is_no ? holds == GainThere::Holds::kNo : holds != GainThere::Holds::kYes;
    if (speaks) where += (where.empty() ? "" : ", ") + kind.place.name;
  }
  return asked +
         (is_no ? "No: the gain of " + best + " does not hold on "
                : "Undecided: the gain of " + best + " is not shown on ") +
         where + ".";
}

std::vector<Block> gain_blocks(const StudySummary& summary, const search::Problem& problem) {
  return {Table{device_rows(summary, problem)}, Table{kind_rows(summary, problem)},
          Paragraph{kinds_answer(summary)}};
}

void add_devices_json(ordered_json& object, const StudySummary& summary,
                      const search::Problem& problem) {
  const scheduler::DeviceMatrix& matrix = summary.matrix;
  const search::Objective judged = search::judged_objective(problem);
  for (const PlaceStanding& place : matrix.devices) {
    ordered_json& device = object["devices"][place.name] = place_json(place, judged);
    device.erase("devices");
  }
  for (const PlaceStanding& place : matrix.nodes)
    object["nodes"][place.name] = place_json(place, judged);
  for (const KindStanding& kind : matrix.kinds) {
    ordered_json& json = object["kinds"][kind.place.name] = place_json(kind.place, judged);
    json["confirmed"] = best_json(kind.confirmed, judged);
    json["seen"] = best_json(kind.seen, judged);
  }
  if (!matrix.kinds.empty()) object["good_on_all_kinds"] = answer_of(matrix.good_on_all);
}

}  // namespace nightshift::tools
