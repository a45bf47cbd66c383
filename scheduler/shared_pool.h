#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/devices/device.h"
#include "scheduler/job.h"
#include "scheduler/worker_pool.h"
#include "search/problem.h"

namespace nightshift::scheduler {

using StudyIndex = std::size_t;  // of a study in a pool, from admit() to dismiss()

// What a study brings to a pool that it shares with others.
struct PoolStudy {
  std::shared_ptr<const search::Problem> problem;
  std::string artifact_folder;  // absolute, exists
  int hot_spares = 1;           // idle evaluators that stand ready on each device that it owns
  bool builds = true;           // it needs builders
  bool measures = true;         // it needs evaluators
  // Evaluators of equal kinds that have served nothing go on for the next study on their device,
  // where it comes in time; empty: each study's are its own.
  std::string process_kind = {};
  bool keeps_used = false;  // and that which has served, too
};

struct SharedEvent {
  // Whose it is; nullopt: everybody's (Interrupted, Notice, Nothing).
  std::optional<StudyIndex> study;
  PoolEvent event;
};

// Runs jobs of several studies on the same devices and builders. It decides nothing: who may use a
// device is said by open() and close(), and who asks first starts first. A device measures one job
// at a time, whosever it is, and none while a process that it would share the device with starts or
// ends.
class SharedPool {
 public:
  virtual ~SharedPool() = default;

  // It may grow in wait(), which says so (DeviceJoined), and never shrinks.
  virtual const std::vector<Device>& devices() const = 0;
  // Devices are still expected.
  virtual bool may_grow() const { return false; }
  virtual int builder_count() const = 0;
  // Builders serve a study that has no device open.
  virtual bool builds_without_device() const { return true; }

  // Throws DeviceError, std::system_error.
  virtual StudyIndex admit(PoolStudy study) = 0;
  // Its processes end, with what they have in hand. No event of it follows.
  virtual void dismiss(StudyIndex study) = 0;

  // Evaluators of the study stand ready on the device from now on; with `spares` hot ones too.
  virtual void open(StudyIndex study, DeviceIndex device, bool spares) = 0;
  // They leave. No job of the study is in hand there.
  virtual void close(StudyIndex study, DeviceIndex device) = 0;
  // So many processes at most build for the study; all studies together run builder_count() builds.
  virtual void set_builders(StudyIndex study, int count) = 0;

  // As of JobPlaces.
  virtual bool can_measure(StudyIndex study, DeviceIndex device) const = 0;
  virtual bool can_build(StudyIndex study) const = 0;
  virtual double delay(DeviceIndex /*device*/) const { return 0; }
  virtual bool can_queue(StudyIndex /*study*/, DeviceIndex /*device*/) const { return false; }
  virtual void recall(StudyIndex /*study*/, DeviceIndex /*device*/) {}
  // A job of the study is in hand on the device.
  virtual bool is_measuring(StudyIndex study, DeviceIndex device) const = 0;
  virtual void start(StudyIndex study, const Job& job) = 0;
  virtual void retire(StudyIndex study, DeviceIndex device, const std::string& reason) = 0;

  virtual SharedEvent wait(std::optional<Clock::TimePoint> deadline) = 0;
};

// The places of one study in a shared pool.
class StudyPlaces final : public JobPlaces {
 public:
  StudyPlaces(SharedPool& pool, StudyIndex study) : pool_(pool), study_(study) {}

  StudyIndex study() const { return study_; }

  const std::vector<Device>& devices() const override { return pool_.devices(); }
  bool may_grow() const override { return pool_.may_grow(); }
  bool can_measure(DeviceIndex device) const override { return pool_.can_measure(study_, device); }
  bool can_build() const override { return pool_.can_build(study_); }
  int builder_count() const override { return pool_.builder_count(); }
  double delay(DeviceIndex device) const override { return pool_.delay(device); }
  bool can_queue(DeviceIndex device) const override { return pool_.can_queue(study_, device); }
  void recall(DeviceIndex device) override { pool_.recall(study_, device); }
  void start(const Job& job) override { pool_.start(study_, job); }
  void retire(DeviceIndex device, const std::string& reason) override {
    pool_.retire(study_, device, reason);
  }

 private:
  SharedPool& pool_;
  StudyIndex study_;
};

}  // namespace nightshift::scheduler
