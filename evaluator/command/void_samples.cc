#include "evaluator/command/void_samples.h"

#include <algorithm>

#include "search/scoring.h"
#include "search/time_unit.h"

namespace nightshift::evaluator {

VoidSamples::VoidSamples(const search::Problem& problem) {
  const search::Scoring scoring(problem);
  for (std::size_t i = 0; i < scoring.all().size(); ++i) {
    const search::Objective& objective = scoring.all()[i];
    const bool is_time = search::per_second(objective.unit).has_value();
    if (is_time && scoring.must_be_positive(i)) times_.push_back(objective.name);
  }
}

bool VoidSamples::is_time(std::string_view objective) const {
  return std::ranges::find(times_, objective) != times_.end();
}

bool VoidSamples::drop(std::vector<search::Samples>& figures) {
  bool all_left = true;
  for (search::Samples& samples : figures) {
    if (!is_time(samples.objective)) continue;
    all_ += samples.values.size();
    const std::size_t dropped = std::erase(samples.values, 0.0);
    if (dropped == 0) continue;
    void_ += dropped;
    last_ = samples.objective;
    all_left = all_left && !samples.values.empty();
  }
  return all_left;
}

std::vector<std::pair<std::string, std::string>> VoidSamples::conditions() const {
  if (void_ == 0) return {};
  return {{std::string(search::kVoidCondition),
           std::to_string(void_) + " of " + std::to_string(all_) + " samples were 0"}};
}

std::string VoidSamples::complaint(int runs) const {
  return "the figure '" + last_ + "' was 0 in each of " + std::to_string(runs) +
         " runs: the program's clock is too coarse for it; let it repeat the work, or measure and "
         "print it with more digits";
}

}  // namespace nightshift::evaluator
