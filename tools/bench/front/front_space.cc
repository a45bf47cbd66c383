#include "tools/bench/front/front_space.h"

#include <optional>
#include <utility>

#include "problems/recorded_space.h"
#include "search/objective.h"
#include "search/statistics/hypervolume.h"
#include "search/statistics/summary.h"

namespace nightshift::bench {
namespace {

using problems::RecordedSpace;
using problems::RecordedSpaceError;
using Column = std::vector<std::optional<double>>;

Column build_times(const RecordedSpace& recording) {
  Column column;
  for (const problems::RecordedTrial& trial : recording.trials()) {
    column.push_back(trial.build_seconds);
  }
  return column;
}

Column figures_of(const ReplaySpace& other, const RecordedSpace& recording) {
  Column column;
  for (const problems::RecordedTrial& trial : recording.trials()) {
    const auto place = other.space().index_of(trial.configuration);
    column.push_back(place ? other.trial(*place).value : std::nullopt);
  }
  return column;
}

// What the second name does not share with the first: "A100" of "convolution-A100".
std::string own_part(const std::string& name, const std::string& first) {
  std::size_t same = 0;
  for (std::size_t i = 0; i < name.size() && i < first.size() && name[i] == first[i]; ++i) {
    if (name[i] == '-' || name[i] == '_') same = i + 1;
  }
  return name.substr(same);
}

std::vector<search::ConfigurationIndex> all_of(const ReplaySpace& space) {
  std::vector<search::ConfigurationIndex> all;
  for (std::size_t row = 0; row < space.size(); ++row) all.push_back(space.in_file_order(row));
  return all;
}

}  // namespace

FrontSpace::FrontSpace(ReplaySpace space, std::string second)
    : space_(std::move(space)), second_(std::move(second)) {
  std::vector<double> values, others;
  for (const ReplayTrial& trial : space_.trials()) {
    if (!trial.value) continue;
    values.push_back(*trial.value);
    others.push_back(*trial.second);
  }
  reference_ = {search::quantile_of(values, 0.5), search::quantile_of(others, 0.5)};
  const std::vector<search::ObjectivePoint> points = points_of(all_of(space_));
  front_size_ = search::pareto_front(points, 0).size();
  whole_ = search::hypervolume(points, reference_);
  if (!(whole_ > 0)) {
    throw RecordedSpaceError(space_.name() + ": nothing is better than the median both by its " +
                             "objective and by " + second_ + ", so that no front can be measured");
  }
}

FrontSpace FrontSpace::read(const std::string& files) {
  const std::size_t plus = files.find('+');
  const std::string file = files.substr(0, plus);
  const RecordedSpace recording = RecordedSpace::read(file);
  ReplaySpace space = ReplaySpace::read(file);
  if (plus == std::string::npos) {
    space.seek_also(build_times(recording));
    return {std::move(space), "build time"};
  }
  const ReplaySpace other = ReplaySpace::read(files.substr(plus + 1));
  std::string second = own_part(other.name(), space.name());
  space.rename(space.name() + "+" + second);
  space.seek_also(figures_of(other, recording));
  return {std::move(space), std::move(second)};
}

std::vector<search::ObjectivePoint> FrontSpace::points_of(
    std::span<const search::ConfigurationIndex> configurations) const {
  std::vector<search::ObjectivePoint> points;
  for (const search::ConfigurationIndex i : configurations) {
    const ReplayTrial& trial = space_.trial(i);
    if (trial.value) points.push_back({{*trial.value, 0}, {*trial.second, 0}});
  }
  return points;
}

double FrontSpace::covered(std::span<const search::ConfigurationIndex> configurations) const {
  std::vector<search::ConfigurationIndex> known(configurations.begin(), configurations.end());
  known.push_back(space_.baseline());
  return search::hypervolume(points_of(known), reference_) / whole_;
}

}  // namespace nightshift::bench
