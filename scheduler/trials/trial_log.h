#pragma once

#include <cstdint>
#include <string_view>

#include "scheduler/journal/journal.h"
#include "search/id.h"

namespace nightshift::scheduler {

// Told of the steps between a trial's beginning and its end, as they happen. `device` is
// Device::key(), or empty.
class TrialLog {
 public:
  virtual ~TrialLog() = default;
  virtual void step(search::TrialId trial, TrialState state, std::uint32_t attempt,
                    std::string_view device, std::string_view detail) = 0;
};

}  // namespace nightshift::scheduler
