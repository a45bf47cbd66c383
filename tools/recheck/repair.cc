#include "tools/recheck/repair.h"

#include <nlohmann/json.hpp>

#include "search/scoring.h"
#include "tools/recheck/rechecking.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"

namespace nightshift::tools {

using nlohmann::ordered_json;

std::string repair_text(const search::Problem& problem, const RecheckRepair& r) {
  const auto change = [&](double ratio, const search::Interval& interval) {
    return change_text(search::judged_objective(problem), ratio, interval);
  };
  if (!r.kept.empty()) {
    const std::string how = r.old_code
                                ? "still wins (" + change(r.old_code->ratio, r.old_code->interval) +
                                      " than the baseline of today)"
                                : "is that of the compiler that others are compared with";
    return "repair: the machine code that was kept " + how + ": " + one_line(r.kept);
  }
  if (r.study.empty()) {
    return "repair: none, " + (r.reason.empty() ? "it was not begun" : one_line(r.reason));
  }
  const std::string where = "tuned anew in " + one_line(r.study);
  if (r.accepted) {
    return "repair: " + where + ", " + change(r.ratio, r.interval) + " than the baseline";
  }
  return "repair: " + where + ", which accepted no improvement: " + one_line(r.reason);
}

ordered_json repair_json(const RecheckRepair& r) {
  ordered_json object = {{"kept", hash_json(r.kept)}, {"old_code", nullptr}};
  if (r.old_code) {
    object["old_code"] = {{"ratio", number_json(r.old_code->ratio)},
                          {"interval", interval_json(r.old_code->interval)},
                          {"confidence", r.old_code->interval.confidence}};
  }
  object["study"] = hash_json(r.study);
  object["accepted"] = r.accepted;
  object["ratio"] = r.accepted ? number_json(r.ratio) : ordered_json();
  object["interval"] = r.accepted ? interval_json(r.interval) : ordered_json();
  object["confidence"] = r.accepted ? ordered_json(r.interval.confidence) : ordered_json();
  object["reason"] = r.reason;
  return object;
}

}  // namespace nightshift::tools
