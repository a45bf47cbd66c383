#include "search/acceptance/devices_needed.h"

#include <cmath>

namespace nightshift::search {

DevicesNeeded devices_needed(const AcceptanceSettings& settings) {
  DevicesNeeded needed;
  const auto asks = [&needed](int count, std::string setting) {
    if (count > needed.count) needed = {count, std::move(setting)};
  };
  // A sample of one has no scatter.
  if (settings.consensus == Consensus::kFleet) asks(2, "acceptance.consensus = \"fleet\"");
  if (settings.consensus == Consensus::kMajority) {
    asks(settings.majority, "acceptance.majority = " + std::to_string(settings.majority));
  }
  asks(settings.devices_least,
       "acceptance.devices_least = " + std::to_string(settings.devices_least));
  return needed;
}

std::string why_never(std::size_t devices, const AcceptanceSettings& settings) {
  const DevicesNeeded needed = devices_needed(settings);
  if (devices >= static_cast<std::size_t>(needed.count)) return "";
  return "nothing can be accepted: " + needed.setting + " needs " + std::to_string(needed.count) +
         " devices, not " + std::to_string(devices) + "; let more take part, or ask for fewer";
}

int fewest_anytime_pairs(double level) { return static_cast<int>(std::ceil(-std::log2(level))); }

}  // namespace nightshift::search
