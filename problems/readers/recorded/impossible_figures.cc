#include "problems/readers/recorded/impossible_figures.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "search/scoring.h"
#include "search/unit.h"

namespace nightshift::problems {
namespace {

std::string in_unit(double value, const search::Objective& objective) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::string(text) + " " + objective.unit;
}

}  // namespace

std::string leave_out_impossible(Recording& recording) {
  const search::Objective& objective = recording.objective;
  const search::Unit* const unit = search::find_unit(objective.unit);
  if (unit == nullptr) return "";
  const bool may_be_zero = unit->dimension == search::Dimension::kBytes;
  const auto is_impossible = [&](double value) {
    return value < search::Scoring::kLeastFigure && !(may_be_zero && value >= 0);
  };
  std::size_t figures = 0, failed = 0;
  double example = 0;
  for (RecordedTrial& trial : recording.trials) {
    const auto found = std::ranges::find_if(trial.values, is_impossible);
    if (found == trial.values.end()) continue;
    if (figures == 0) example = *found;
    const double own = *found;
    figures += std::erase_if(trial.values, is_impossible);
    if (!trial.values.empty()) continue;
    ++failed;
    trial.failure = search::LaunchFailed{"recorded with '" + objective.name + "' of " +
                                         in_unit(own, objective) + ", which cannot be"};
  }
  if (figures == 0) return "";
  std::string text =
      "figures that cannot be are left out of the recording: " + std::to_string(figures) + " of '" +
      objective.name + "', such as " + in_unit(example, objective);
  if (failed > 0) {
    text +=
        "; configurations without another figure, which count as failed: " + std::to_string(failed);
  }
  return text;
}

}  // namespace nightshift::problems
