#include <cmath>
#include <optional>

#include "search/searcher.h"
#include "search/searcher_catalogue.h"
#include "tools/library/space_parts.h"

namespace nightshift {

struct Searcher::Parts {
  std::shared_ptr<const Space::Parts> space;
  std::unique_ptr<search::Searcher> searcher;
  double first_cost = 0;  // 0: none was told yet
};

Searcher::Searcher(const Space& space, const std::string& name, std::uint64_t seed)
    : parts_(std::make_shared<Parts>()) {
  parts_->space = space.parts_;
  search::SearcherSettings settings;
  settings.seed = seed;
  try {
    parts_->searcher = search::make_searcher(name, parts_->space->space, settings);
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

std::vector<Configuration> Searcher::ask(std::size_t n) {
  std::vector<Configuration> asked;
  for (const search::ConfigurationIndex index : parts_->searcher->ask(n)) {
    asked.push_back(outer_configuration(parts_->space->space.configuration(index)));
  }
  return asked;
}

void Searcher::tell(const Configuration& configuration, double cost) {
  if (!(cost > 0) || !std::isfinite(cost)) {
    throw Error("a cost is a number above 0; say tell_failed() of what has none");
  }
  const search::ConfigurationIndex index = index_in(parts_->space->space, configuration);
  if (parts_->first_cost <= 0) parts_->first_cost = cost;
  search::Observation observation;
  observation.score = search::Score{cost / parts_->first_cost, 0};
  parts_->searcher->tell(index, observation);
}

void Searcher::tell_failed(const Configuration& configuration) {
  parts_->searcher->tell(index_in(parts_->space->space, configuration), {});
}

std::vector<std::string> Searcher::names() {
  std::vector<std::string> names;
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    names.emplace_back(info.name);
  }
  return names;
}

}  // namespace nightshift
