#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
  // Of that time, in which others measured on its devices, or it had none, or nothing of it went on
  // since others measured where its confirmation has pairs to measure. Of earlier runs what was
  // made up for.
  double shared = 0;
  // Of that, what its budget is made up for: where it waited or had no device, and what others had
  // of its devices beyond what it had of theirs as a guest. Never less than it was.
  double made_up = 0;
  bool building = false;    // it began without a device, and has built nothing for one to measure
  bool had_device = false;  // in this run
  bool settling = false;    // it explores no more: what is left are confirmations
  // Of its elapsed time, what it takes at the least until its claim, by its own evaluations: in all,
  // and from now on; the latter is 0 too once it has had that. `needs` is 0 while these have told
  // nothing but, roughly, the latter.
  double needs = 0, needs_still = 0;
  double needs_end = 0;      // of that, what comes after the exploration
  bool put_off = false;      // it has made room for others once in this run
  bool out_of_time = false;  // it has ended since the time did not serve it
  // Configurations that it has explored, and how many these were when a duel was won last.
  std::uint64_t explored = 0, explored_at_gain = 0;
};

// Of its own, with what is made up for: so much again at most, so that it ends. 0: none.
inline double budget_of(const StudyTerms& terms, const StudyStanding& standing) {
  return terms.budget_seconds + std::min(terms.budget_seconds, standing.made_up);
}

// What goes on on a device.
struct DeviceStanding {
  bool in_service = true;           // it can be reached
  std::vector<std::size_t> owners;  // studies; the first has had it longest
  double since = 0;                 // when the last of them got it, on the batch's clock
  double busy_share = 1;            // of the time since then, with a job in hand
  bool leaving = false;             // it was taken back, and its last job there goes on
  // Its only owner explores no more and has nothing for it: what is left is measured elsewhere.
  bool left_idle = false;
  bool was_left_idle = false;  // so when the second of its owners came

  bool is_owned_by(std::size_t study) const {
    return std::ranges::find(owners, study) != owners.end();
  }
};

}  // namespace nightshift::scheduler
