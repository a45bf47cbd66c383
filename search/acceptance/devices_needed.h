#pragma once

#include <cstddef>
#include <string>

#include "search/acceptance.h"

namespace nightshift::search {

// Without so many devices nothing is ever accepted, whatever they show.
struct DevicesNeeded {
  int count = 1;
  std::string setting;  // that asks for them, as it is written; empty where one is enough
};
DevicesNeeded devices_needed(const AcceptanceSettings& settings);

// Why nothing can be accepted on so many devices, in a sentence; empty where something can.
std::string why_never(std::size_t devices, const AcceptanceSettings& settings);

// The pairs that the anytime test needs at least, however large the gain: each of them doubles its
// evidence at most (TanhEProcess).
int fewest_anytime_pairs(double level);

}  // namespace nightshift::search
