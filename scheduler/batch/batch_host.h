#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/batch/batch_plan.h"
#include "scheduler/shared_pool.h"
#include "scheduler/tuner.h"

namespace nightshift::scheduler {

// A study while it runs: what its Tuner is made of, and the Tuner.
class ActiveStudy {
 public:
  virtual ~ActiveStudy() = default;
  virtual Tuner& tuner() = 0;
  virtual StudyIndex place() const = 0;  // in the pool
  virtual bool builds() const = 0;
};

// How a study of a batch ended, or stopped.
struct BatchStudyEnd {
  enum class Kind : std::uint8_t {
    kCompleted,
    kInterrupted,  // by a signal, or by a journal that cannot be written or is gone: it can go on
    kPaused,       // until it is asked to go on
    kFailed,       // its baseline, its files, a study that it comes after
    kCancelled,
    kNotBegun,
    kPutOff,  // until there is time: it waits again
  } kind = Kind::kCompleted;
  std::string reason;     // one sentence
  bool is_alone = false;  // interrupted, while the batch goes on
};

// What the batch asks of the world around it.
class BatchHost {
 public:
  virtual ~BatchHost() = default;
  // Makes a study in the pool, or takes it up where it stopped. Throws std::exception where it
  // cannot begin.
  virtual std::unique_ptr<ActiveStudy> begin(std::size_t study, SharedPool& pool) = 0;
  // What was asked for since the last call, by whoever may ask.
  struct Request {
    enum class Kind : std::uint8_t { kAdd, kCancel, kPause, kGoOn } kind = Kind::kAdd;
    std::size_t study = 0;        // of kAdd: the next index
    StudyTerms terms;             // of kAdd and kGoOn
    StudyStanding standing = {};  // of kAdd: as it stands, also where it cannot begin
  };
  // Once a turn of the loop.
  virtual std::vector<Request> requests() { return {}; }

  // Why nothing can be kept of what is measured from now on; empty: it can. Once a turn of the loop,
  // before anything begins.
  virtual std::string lost() { return ""; }

  // Studies may still be added: the batch does not end for having none.
  virtual bool awaits_more() const { return false; }

  // A device has joined the pool, after the others. By study: may it use it?
  virtual std::vector<bool> joined(DeviceIndex) { return {}; }

  // --- Told of what happens; may write it down ---
  virtual void began(std::size_t /*study*/, const std::vector<DeviceIndex>& /*devices*/) {}
  virtual void lent(std::size_t /*study*/, DeviceIndex, bool /*guest*/) {}
  virtual void taken_back(std::size_t /*study*/, DeviceIndex) {}
  virtual void ended(std::size_t /*study*/, const BatchStudyEnd&) {}
  // These wait since the time does not serve them, or have ended for that; a run that serves all
  // would last so long. Where there are others now; none: it serves all after all.
  virtual void left(const std::vector<std::size_t>& /*studies*/, double /*whole_seconds*/) {}
  // Its budget has been made up for so much, in all runs (StudyStanding::made_up).
  virtual void made_up(std::size_t /*study*/, double /*seconds*/) {}
  virtual void notice(const std::string& /*text*/) {}
};

}  // namespace nightshift::scheduler
