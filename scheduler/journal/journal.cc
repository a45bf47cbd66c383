#include "scheduler/journal/journal.h"

#include <array>

namespace nightshift::scheduler {

std::string_view name_of(Arm arm) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "candidate", "incumbent", "baseline"};
  return kNames[static_cast<std::size_t>(arm)];
}

std::string_view name_of(Purpose purpose) {
  constexpr std::array<std::string_view, 7> kNames = {"duel",     "self-test", "canary",
                                                      "hold-out", "finishing", "front"};
  return kNames[static_cast<std::size_t>(purpose)];
}

std::string_view name_of(TrialState state) {
  constexpr std::array<std::string_view, 6> kNames = {"proposed", "building", "built",
                                                      "running",  "retry",    "finished"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace nightshift::scheduler
