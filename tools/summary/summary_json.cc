#include "tools/summary/summary_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "search/option_text.h"
#include "search/scoring.h"
#include "search/trial.h"
#include "tools/summary/device_rows.h"
#include "tools/summary/gain_json.h"
#include "tools/summary/identity_json.h"
#include "tools/summary/json_number.h"
#include "tools/summary/spread.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using scheduler::StudySummary;

ordered_json configuration_json(const search::Configuration& c) {
  return ordered_json::parse(c.to_json());
}

ordered_json figures_json(const std::vector<StudySummary::Figure>& figures) {
  ordered_json object = ordered_json::object();
  for (const StudySummary::Figure& f : figures) {
    object[f.name] = {
        {"value", number_json(f.value)}, {"unit", f.unit}, {"interval", spread_json(f.interval)}};
  }
  return object;
}

// The mean over devices of every figure; the interval reaches from the lowest end to the highest,
// where one of them tells a spread.
std::vector<StudySummary::Figure> joined(
    const std::vector<StudySummary::DeviceBaseline>& baselines) {
  std::vector<StudySummary::Figure> figures;
  if (baselines.empty()) return figures;
  figures = baselines.front().figures;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    double sum = 0;
    std::size_t count = 0;
    bool tells = false;
    for (const StudySummary::DeviceBaseline& b : baselines) {
      if (i >= b.figures.size()) continue;
      sum += b.figures[i].value;
      ++count;
      tells |= tells_spread(b.figures[i].interval);
      figures[i].interval.low = std::min(figures[i].interval.low, b.figures[i].interval.low);
      figures[i].interval.high = std::max(figures[i].interval.high, b.figures[i].interval.high);
    }
    figures[i].value = sum / static_cast<double>(count);
    if (!tells) figures[i].interval = search::kUnbounded;
  }
  return figures;
}

// Those that the best is compared with, where it is known that they belong together.
std::vector<StudySummary::Figure> baseline_figures(const StudySummary& summary) {
  std::vector<StudySummary::Figure> figures = joined(summary.baselines);
  for (StudySummary::Figure& figure : figures) {
    const auto compared =
        std::ranges::find(summary.compared_baseline, figure.name, &StudySummary::Figure::name);
    if (compared != summary.compared_baseline.end()) figure = *compared;
  }
  return figures;
}

// Nothing was built: null.
ordered_json artifact_json(const std::string& hash) {
  return hash.empty() ? ordered_json() : ordered_json(hash);
}

ordered_json baseline_json(const StudySummary& summary, const search::Problem& problem) {
  ordered_json devices = ordered_json::object();
  for (const StudySummary::DeviceBaseline& b : summary.baselines) {
    devices[b.device] = {{"objectives", figures_json(b.figures)}, {"measured", b.measured}};
  }
  return {{"configuration", configuration_json(search::resolved(problem, {}))},
          {"artifact", artifact_json(summary.baseline_artifact)},
          {"objectives", figures_json(baseline_figures(summary))},
          {"devices", std::move(devices)}};
}

ordered_json improvement_json(const StudySummary& summary, const search::Problem& problem) {
  ordered_json improvement =
      gain_json(search::judged_objective(problem), summary.ratio, summary.ratio_interval);
  improvement["confidence"] = summary.ratio_interval.confidence;
  improvement["accepted"] = summary.accepted;
  improvement["reason"] = summary.reason;
  if (const auto& moved = summary.unsteadiness) {
    improvement["unsteadiness"] = {{"share", number_json(moved->share)},
                                   {"device", moved->device},
                                   {"evaluations", moved->evaluations}};
  }
  if (!summary.unaudited.empty()) improvement["unaudited"] = summary.unaudited;
  return improvement;
}

// One object, by name, in the order in which it was found out.
ordered_json environment_json(const StudySummary& summary) {
  ordered_json environment = ordered_json::object();
  for (const auto& [name, value] : summary.environment) environment[name] = value;
  return environment;
}

ordered_json cases_json(const StudySummary& summary, const search::Problem& problem) {
  const search::Objective primary = search::primary_objective(problem);
  ordered_json cases = ordered_json::array();
  for (const StudySummary::Case& one : summary.cases) {
    cases.push_back({{"name", one.name},
                     {"weight", one.weight},
                     {"unit", one.unit},
                     {"baseline", number_json(one.baseline)},
                     {"best", number_json(one.best)}});
    cases.back().update(gain_json(primary, one.ratio, one.interval));
  }
  return cases;
}

ordered_json trials_json(const StudySummary& summary, const search::Problem& problem) {
  ordered_json failed = ordered_json::object();
  for (std::size_t i = 0; i < summary.failed.size(); ++i) {
    const std::string_view kind = search::kStatusNames[i];
    if (kind == "measured" || kind == "skipped" || summary.failed[i] == 0) continue;
    failed[std::string(kind)] = summary.failed[i];
  }
  ordered_json trials = {
      {"measured", summary.measured}, {"skipped", summary.skipped}, {"failed", failed}};
  trials["failed_when_confirmed"] = summary.failed_confirmed;
  if (search::Scoring(problem).has_limits()) trials["beyond_limits"] = summary.beyond_limits;
  return trials;
}

ordered_json front_json(const StudySummary& summary, const search::Scoring& scoring) {
  ordered_json front = ordered_json::array();
  for (const StudySummary::FrontMember& member : summary.front) {
    ordered_json objectives = figures_json(member.contender.figures);
    for (std::size_t i = 0; i < member.scores.size(); ++i) {
      const search::Objective& objective = scoring.all()[scoring.sought()[i]];
      ordered_json& figure = objectives[objective.name];
      const double ratio = member.scores[i].value;
      figure["ratio"] = figure["ratio_interval"] = nullptr;
      if (search::is_difference(objective)) {
        figure["difference"] = number_json(search::difference_of(objective, ratio));
      } else {
        figure["ratio"] = number_json(ratio);
        figure["ratio_interval"] = spread_json(member.intervals[i]);
      }
    }
    front.push_back({{"trial", member.contender.trial.value},
                     {"configuration", configuration_json(member.contender.configuration)},
                     {"evaluations", std::max(member.pairs, 1)},
                     {"pairs", member.pairs},
                     {"objectives", std::move(objectives)}});
  }
  return front;
}

}  // namespace

std::optional<std::string> flag_option(const search::Problem& problem, const std::string& parameter,
                                       const search::Value& value) {
  for (const search::FlagParameter& flag : search::flag_parameters(problem)) {
    if (flag.parameter == parameter) return search::option_text(flag, value);
  }
  return std::nullopt;
}

std::string compiler_options(const search::Problem& problem, const search::Configuration& c) {
  std::string options;
  const auto add = [&options](const std::string& option) {
    if (!option.empty()) options += (options.empty() ? "" : " ") + option;
  };
  for (const std::string& flag : search::compiler_flags(problem)) add(flag);
  for (const search::FlagParameter& flag : search::flag_parameters(problem)) {
    const search::Value* value = c.find(flag.parameter);
    if (value != nullptr) add(flag_option(problem, flag.parameter, *value).value_or(""));
  }
  return options;
}

ordered_json summary_json(const StudySummary& summary, const search::Problem& problem,
                          const StudyFolder& folder) {
  ordered_json best = nullptr;
  // What failed when it was confirmed is nobody's to take.
  if (summary.best && !summary.failed_when_confirmed) {
    best = {{"trial", summary.best->trial.value},
            {"configuration", configuration_json(summary.best->configuration)},
            {"artifact", artifact_json(summary.best->artifact)},
            {"objectives", figures_json(summary.best->figures)}};
    if (!summary.best->ceilings.empty()) best["ceilings"] = summary.best->ceilings;
    if (summary.best->same_bits) best["same_bits"] = *summary.best->same_bits;
  }
  ordered_json object = {{"study", folder.path()},
                         {"problem", summary.problem},
                         {"status", summary.status},
                         {"status_reason", summary.status_reason},
                         {"notices", summary.notices},
                         {"trials", trials_json(summary, problem)},
                         {"baseline", baseline_json(summary, problem)},
                         {"best", std::move(best)},
                         {"improvement", improvement_json(summary, problem)},
                         {"evaluations", summary.evaluations},
                         {"confirmations", summary.confirmations},
                         {"seconds", number_json(summary.seconds)},
                         {"simulated_seconds", number_json(summary.simulated_seconds)},
                         {"made_of", identity_json(summary.identity)},
                         {"environment", environment_json(summary)}};
  if (!summary.cases.empty()) object["cases"] = cases_json(summary, problem);
  add_devices_json(object, summary, problem);
  const search::Scoring scoring(problem);
  if (scoring.has_front()) {
    object["front"] = front_json(summary, scoring);
    object["baseline_on_front"] = summary.baseline_on_front;
  }
  return object;
}

ordered_json best_json(const StudySummary& summary, const search::Problem& problem) {
  ordered_json object = {{"problem", summary.problem},
                         {"trial", summary.best->trial.value},
                         {"accepted", summary.accepted},
                         {"configuration", configuration_json(summary.best->configuration)}};
  if (search::is_kernel(problem)) {
    object["compiler_options"] = compiler_options(problem, summary.best->configuration);
  }
  object["artifact"] = artifact_json(summary.best->artifact);
  object["objectives"] = figures_json(summary.best->figures);
  if (summary.best->same_bits) object["same_bits"] = *summary.best->same_bits;
  object["baseline"] = baseline_json(summary, problem);
  object["improvement"] = improvement_json(summary, problem);
  if (!summary.cases.empty()) object["cases"] = cases_json(summary, problem);
  object["problem_file"] = problem.file;
  object["made_of"] = identity_json(summary.identity);
  object["environment"] = environment_json(summary);
  return object;
}

}  // namespace nightshift::tools
