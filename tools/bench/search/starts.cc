#include "tools/bench/search/starts.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/usage_error.h"

namespace nightshift::bench {
namespace {

using Json = nlohmann::json;

std::vector<search::ConfigurationIndex> starts_of(const Json& positions, const ReplaySpace& space) {
  std::vector<search::ConfigurationIndex> starts;
  for (const Json& position : positions) {
    const auto place = position.get<std::size_t>();
    const std::string which = "position " + std::to_string(place) + " of " + space.name();
    if (place >= space.size()) throw tools::UsageError(which + " is not there");
    const search::ConfigurationIndex start = space.in_file_order(place);
    if (std::ranges::find(starts, start) != starts.end()) {
      throw tools::UsageError(which + " is there twice");
    }
    starts.push_back(start);
  }
  return starts;
}

}  // namespace

void read_starts(const std::string& file, std::vector<ReplaySpace>& spaces) {
  try {
    std::ifstream in(file);
    if (!in) throw tools::UsageError("cannot be read");
    const Json all = Json::parse(in);
    bool any = false;
    for (ReplaySpace& space : spaces) {
      const auto found = all.find(space.name());
      if (found == all.end()) continue;
      any = true;
      space.begin_with(starts_of(*found, space));
    }
    if (!any) throw tools::UsageError("it names none of the spaces");
  } catch (const Json::exception& e) {
    throw tools::UsageError(file + ": " + e.what());
  } catch (const tools::UsageError& e) {
    throw tools::UsageError(file + ": " + e.what());
  }
}

}  // namespace nightshift::bench
