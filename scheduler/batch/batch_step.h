#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/batch/batch_standing.h"
#include "scheduler/job.h"

namespace nightshift::scheduler {

// What the plan of a batch is asked on.
struct BatchMoment {
  double now = 0;                  // seconds on the batch's clock
  std::optional<double> deadline;  // on the same clock
  const std::vector<StudyTerms>* terms = nullptr;
  const std::vector<StudyStanding>* studies = nullptr;
  const std::vector<DeviceStanding>* devices = nullptr;
  std::vector<bool> calm;  // by device: it can be taken from its owners now
  bool may_grow = false;   // devices may still join
  int ahead = 0;           // studies without a device that may build
  bool told = false;       // of a study more is known of what it takes than at the last question
};

// What it says is to be done.
namespace batch_step {
struct Begin {
  std::size_t study = 0;
  std::vector<DeviceIndex> devices;  // none: it builds ahead
};
struct Lend {
  std::size_t study = 0;
  DeviceIndex device = 0;
};
struct TakeBack {
  std::size_t study = 0;
  DeviceIndex device = 0;
};
struct Limit {
  std::size_t study = 0;
  double seconds = 0;  // of its elapsed time
};
// It will never begin: no time is left, no device that it may use, or a study that it comes after
// ended for nothing.
struct GiveUp {
  std::size_t study = 0;
  std::string reason;
  bool failed = false;       // for a failure of that study: it counts as one too
  bool out_of_time = false;  // for lack of it
};
// It stops, and waits with what it has.
struct PutOff {
  std::size_t study = 0;
  std::string reason;
};
// The time serves these not, as far as is known now; never none. Said at each question.
struct Leave {
  std::vector<std::size_t> studies;
  double whole_seconds = 0;  // of a run, from its beginning, that serves all
};
// It explores no more.
struct Suffice {
  std::size_t study = 0;
};
}  // namespace batch_step
using BatchStep =
    std::variant<batch_step::Begin, batch_step::Lend, batch_step::TakeBack, batch_step::Limit,
                 batch_step::GiveUp, batch_step::Suffice, batch_step::PutOff, batch_step::Leave>;

}  // namespace nightshift::scheduler
