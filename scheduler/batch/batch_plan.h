#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/job.h"

namespace nightshift::scheduler {

// How a batch is to treat one of its studies.
struct StudyTerms {
  double weight = 1;               // of its share of the time, where the batch has a deadline
  int priority = 0;                // those with a higher one begin first
  std::string client;              // for whom it runs; empty: for nobody in particular
  int devices_least = 1;           // it begins with so many
  int devices_most = 0;            // and gets no more; 0: all that it may use
  std::vector<bool> may_use;       // by device
  std::string name;                // for messages
  std::vector<std::size_t> after;  // studies that must have ended, and not for nothing (Loss)
  bool builds_ahead = false;       // it begins without a device, and gets one when it has built
  double budget_seconds = 0;       // of its own, while it has a device to itself; 0: none
  std::optional<double> deadline;  // of its own, on the batch's clock
  // Under a deadline of the batch it has explored enough once so many times as many configurations
  // brought no gain as had been explored up to the last one; 0: never.
  double patience = 4;
};

// Where a study stands.
struct StudyStanding {
  enum class State : std::uint8_t { kWaiting, kRunning, kPaused, kEnded } state = State::kWaiting;
  // Of one that has ended: why those that come after it are not begun. One that was cancelled on
  // purpose holds up nobody.
  enum class Loss : std::uint8_t { kNone, kFailed, kNotBegun, kCutOff } loss = Loss::kNone;
  double elapsed = 0;  // seconds that it has had a device
  double limit = 0;    // of that time, as last given; 0: none
  // Of that time, in this run, in which others measured on its devices, or it had none.
  double shared = 0;
  bool building = false;  // it began without a device, and has built nothing for one to measure
  bool settling = false;  // it explores no more: what is left are confirmations
  // Configurations that it has explored, and how many these were when a duel was won last.
  std::uint64_t explored = 0, explored_at_gain = 0;
};

// What goes on on a device.
struct DeviceStanding {
  bool in_service = true;           // it can be reached
  std::vector<std::size_t> owners;  // studies; the first has had it longest
  double since = 0;                 // when the last of them got it, on the batch's clock
  double busy_share = 1;            // of the time since then, with a job in hand
  bool leaving = false;             // it was taken back, and its last job there goes on
  // Its only owner explores no more and has nothing for it: what is left is measured elsewhere.
  bool left_idle = false;
};

// Who gets which device of a batch for how long: a policy without a pool or a clock.
//
//   order      the highest priority first, of these those with a deadline, the nearest one first; then
//              those of the client whose studies have had the least time for their weight; then as
//              they are listed. Studies that come after others wait for their end
//   skip       studies that come after one that failed, never began or was cut off
//   begin      with as many devices as they need at least; a study that needs several keeps those
//              that are free already; one that may use fewer than it needs waits while devices may
//              still join
//   build      studies that build ahead begin without a device, so many at once (Moment::ahead), and
//              one at each question, since to begin one takes the caller longer than all else; once
//              such a one has something to measure the next free device is its, in their order
//   go on      a running study that has lost all its devices, since its baseline failed there, comes
//              before all that wait; the time until it has another one is not counted on its budget
//   grow       devices that nobody waits for go to the running study with the fewest for its weight
//   give back  a device of a study that has more than it needs, once it has had it for kLeastLease
//              and another waits: a change costs processes and a baseline
//   share      a device whose only owner leaves it idle gets a second one while studies wait: mostly
//              since it waits for builds, and no confirmation is open there, or since the pairs of its
//              last duel are measured on other devices. Both measure there in turn, the one with
//              a confirmation first. The time in which others measure on a study's devices is not
//              counted on its budget
//   time       under a deadline what is left is divided by weight over all that have not ended, less
//              what they have used up already, whenever one begins or ends
//   suffice    under a deadline a study that has stopped gaining (StudyTerms::patience) explores no
//              more while others would: what is left of its time is divided among them
//
// Rejected: slices of time for each study in turn. They cost a change of processes and a baseline
// each, and all studies end late instead of one after the other; a study's successor could not
// start from what it found.
class BatchPlan {
 public:
  static constexpr double kLeastLease = 10;  // seconds
  static constexpr double kIdleShare = 0.7;  // busy for less: a second owner fits in
  static constexpr double kReserve = 0.02;   // of the time left, for ends that come late
  static constexpr double kLeastShare = 2;   // seconds; less is no time for a study
  // Configurations; a gain before counts as if it had come then.
  static constexpr std::uint64_t kEarliestGain = 50;

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
    bool failed = false;  // for a failure of that study: it counts as one too
  };
  // It explores no more.
  struct Suffice {
    std::size_t study = 0;
  };
  using Step = std::variant<Begin, Lend, TakeBack, Limit, GiveUp, Suffice>;

  // What the plan is asked on.
  struct Moment {
    double now = 0;                  // seconds on the batch's clock
    std::optional<double> deadline;  // on the same clock
    const std::vector<StudyTerms>* terms = nullptr;
    const std::vector<StudyStanding>* studies = nullptr;
    const std::vector<DeviceStanding>* devices = nullptr;
    std::vector<bool> calm;  // by device: it can be taken from its owners now
    bool may_grow = false;   // devices may still join
    int ahead = 0;           // studies without a device that may build
  };

  // What is to be done now, in order. All of it is carried out before the plan is asked again.
  // Limits are given again only where a study has begun or ended since, or a device has come or
  // gone: `redivide`.
  std::vector<Step> steps(const Moment& moment, bool redivide) const;

 private:
  class Turn;
};

}  // namespace nightshift::scheduler
