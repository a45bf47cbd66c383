#include "tools/bench/search/positions.h"

#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/usage_error.h"

namespace nightshift::bench {

Positions::Positions(const ReplaySpace& space, std::string list)
    : space_(space), list_(std::move(list)), seen_(space.size()) {}

search::ConfigurationIndex Positions::take(const nlohmann::ordered_json& position) {
  const auto place = position.get<std::size_t>();
  if (place >= space_.size() || seen_[place]) {
    throw tools::UsageError(
        "position " + std::to_string(place) + " of " + space_.name() +
        (place < space_.size() ? " is there twice in " + list_ : " is not there"));
  }
  seen_[place] = true;
  return space_.in_file_order(place);
}

void with_json(const std::string& file,
               const std::function<void(const nlohmann::ordered_json&)>& use) {
  try {
    std::ifstream in(file);
    if (!in) throw tools::UsageError("cannot be read");
    use(nlohmann::ordered_json::parse(in));
  } catch (const nlohmann::json::exception& e) {
    throw tools::UsageError(file + ": " + e.what());
  } catch (const tools::UsageError& e) {
    throw tools::UsageError(file + ": " + e.what());
  }
}

}  // namespace nightshift::bench
