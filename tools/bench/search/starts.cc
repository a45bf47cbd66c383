#include "tools/bench/search/starts.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "search/model/expectation.h"
#include "tools/bench/search/positions.h"
#include "tools/usage_error.h"

namespace nightshift::bench {

namespace {

using Json = nlohmann::ordered_json;

// Calls take(space, what the file has of it).
template <class Take>
void for_each_named(const std::string& file, std::vector<ReplaySpace>& spaces, Take take) {
  with_json(file, [&](const Json& all) {
    bool any = false;
    for (ReplaySpace& space : spaces) {
      const auto found = all.find(space.name());
      if (found == all.end()) continue;
      any = true;
      take(space, *found);
    }
    if (!any) throw tools::UsageError("it names none of the spaces");
  });
}

}  // namespace

void read_starts(const std::string& file, std::vector<ReplaySpace>& spaces) {
  for_each_named(file, spaces, [](ReplaySpace& space, const Json& found) {
    Positions positions(space, "its starts");
    std::vector<search::ConfigurationIndex> starts;
    for (const auto& position : found) starts.push_back(positions.take(position));
    space.begin_with(std::move(starts));
  });
}

void read_expected(const std::string& file, std::vector<ReplaySpace>& spaces) {
  for_each_named(file, spaces, [](ReplaySpace& space, const Json& found) {
    const std::string what = "the expected cost of " + space.name();
    try {
      search::ExpectedCost cost{{search::Expression::parse(found.get<std::string>())}, {}};
      search::Expectation(space.space(), cost);  // names are parameters
      space.expect(std::move(cost));
    } catch (const search::ExpressionError& e) {
      throw tools::UsageError(what + ": " + e.what());
    } catch (const search::SpaceError& e) {
      throw tools::UsageError(what + " " + e.what());
    }
  });
}

}  // namespace nightshift::bench
