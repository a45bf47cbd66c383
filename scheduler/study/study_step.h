#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/journal/journal.h"
#include "scheduler/trials/trial_order.h"

namespace nightshift::scheduler {

// What the plan cannot know by itself when it is asked what comes next.
struct Moment {
  Clock::TimePoint now;
  double elapsed = 0;      // seconds, of all runs
  std::vector<bool> free;  // by device: an evaluation may start there now
  int builders = 0;
  std::vector<double> delay = {};  // by device, see JobPlaces; none: 0
  std::size_t suspects = 0;        // explorations that wait for all others (retry.h)
  bool explores = false;           // a device is at an exploration, or one waits for a device
  double others = 0;               // of `elapsed`, see StudyTime::others_had()
};

// What is done next.
namespace study_step {
struct Propose {
  TrialOrder order;  // with its id
};
struct Open {
  ConfirmationSetup setup;
};
struct Conclude {
  ConfirmationSetup setup;
  ConfirmationVerdict verdict;
};
}  // namespace study_step
using StudyStep = std::variant<study_step::Propose, study_step::Open, study_step::Conclude>;

}  // namespace nightshift::scheduler
