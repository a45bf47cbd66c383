#include "tools/bench/search/starts.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "tools/bench/search/positions.h"
#include "tools/usage_error.h"

namespace nightshift::bench {

void read_starts(const std::string& file, std::vector<ReplaySpace>& spaces) {
  with_json(file, [&](const nlohmann::ordered_json& all) {
    bool any = false;
    for (ReplaySpace& space : spaces) {
      const auto found = all.find(space.name());
      if (found == all.end()) continue;
      any = true;
      Positions positions(space, "its starts");
      std::vector<search::ConfigurationIndex> starts;
      for (const auto& position : *found) starts.push_back(positions.take(position));
      space.begin_with(std::move(starts));
    }
    if (!any) throw tools::UsageError("it names none of the spaces");
  });
}

}  // namespace nightshift::bench
