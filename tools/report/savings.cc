#include "tools/report/savings.h"

#include <fmt/format.h>

#include <functional>
#include <string>

#include "search/scoring.h"
#include "search/unit.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

bool counts_time(const search::Objective& objective) {
  const search::Unit* unit = search::find_unit(objective.unit);
  if (unit == nullptr) return objective.name == "time" || objective.unit.ends_with("/s");
  switch (unit->dimension) {
    case search::Dimension::kTime:
    case search::Dimension::kByteRate:
    case search::Dimension::kFlopRate:
    case search::Dimension::kFrequency:
      return true;
    default:
      return false;
  }
}

std::string energy_text(double joules) {
  constexpr double kKilowattHour = 3.6e6;
  return joules < kKilowattHour / 10 ? format_value(joules / 3600, "Wh")
                                     : format_value(joules / kKilowattHour, "kWh");
}

}  // namespace

std::vector<Block> savings(const scheduler::StudySummary& summary, const search::Problem& problem,
                           const WholeJob& job) {
  if (!job.is_asked) return {};
  const search::Objective objective = search::judged_objective(problem);
  if (!counts_time(objective)) {
    throw UsageError("--share, --job and --power are of a job's time, and this study judges '" +
                     objective.name + "'");
  }
  if (!summary.accepted) return {Paragraph{"Nothing is claimed, so that nothing is saved."}};
  // A smaller ratio saves more: the ends change places.
  const auto saved = [&](const std::function<std::string(double)>& text) {
    const auto of = [&](double ratio) { return text(job.share * (1 - ratio)); };
    return fmt::format("{} [{}, {}]", of(summary.ratio), of(summary.ratio_interval.high),
                       of(summary.ratio_interval.low));
  };
  Rows rows = {{"part of the job", format_percent(job.share) + " of its time"},
               {"the whole job is shorter by", saved(format_percent)}};
  if (job.seconds) {
    rows.push_back({"of " + format_duration(*job.seconds),
                    saved([&](double share) { return format_duration(share * *job.seconds); })});
  }
  if (job.seconds && job.watts) {
    rows.push_back({"at " + format_value(*job.watts, "W"), saved([&](double share) {
                      return energy_text(share * *job.seconds * *job.watts);
                    })});
  }
  if (job.share < 1) {
    rows.push_back({"at most, were it free", format_percent(job.share)});
  }
  return {Facts{std::move(rows)}};
}

}  // namespace nightshift::tools
