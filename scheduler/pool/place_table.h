#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ipc/poller.h"
#include "scheduler/clock.h"
#include "scheduler/devices/core_sharing.h"
#include "scheduler/devices/device.h"
#include "scheduler/forked_pool_options.h"
#include "scheduler/pool/worker_slot.h"
#include "scheduler/shared_pool.h"

namespace nightshift::scheduler {

// Workers are numbered from 0, kWorkersPerPlace for each place, used or not.
constexpr std::uint64_t kWorkersPerPlace = 1 + kMostSpares;

// Where the jobs of every study in a pool are done: for each study one place on every device and
// one for every builder, parked until they are opened. It knows who would disturb whom; when
// processes start, ring and die is the pool's affair.
class PlaceTable {
 public:
  using TimePoint = Clock::TimePoint;

  // Where one job at a time is done; empty once its study has left.
  struct Place {
    std::unique_ptr<WorkerSlot> slot;
    StudyIndex study = 0;
    std::optional<DeviceIndex> device;  // a builder has none
    bool was_open = false;              // something could start as of the last look
  };

  // `scratch` and `run_mark` as of WorkerSetup. All but the strings outlive the table.
  PlaceTable(const std::vector<Device>& devices, const ForkedPoolOptions& options,
             std::string scratch, std::string run_mark, ipc::Poller& poller);

  // --- Who takes part ---
  StudyIndex admit(PoolStudy study, TimePoint now);
  void dismiss(StudyIndex study, TimePoint now);
  // A process that a study of the same kind has left on the device goes on for this one.
  void adopt(StudyIndex study, DeviceIndex device, TimePoint now);
  // Of studies that were dismissed, once their last process is gone.
  void forget_the_gone();
  void set_builders(StudyIndex study, int count, TimePoint now);
  bool is_member(StudyIndex study) const;  // admitted and not dismissed
  std::vector<StudyIndex> members() const;
  bool any_builder_in_service(StudyIndex study) const;

  // --- The places, in a fixed order; some are empty ---
  std::size_t size() const { return places_.size(); }
  const Place& operator[](std::size_t place) const { return places_[place]; }
  std::size_t place_of(StudyIndex study, DeviceIndex device) const {
    return members_[study]->evaluators[device];
  }
  WorkerSlot& evaluator(StudyIndex study, DeviceIndex device) const {
    return *places_[place_of(study, device)].slot;
  }
  void clear() { places_.clear(); }
  // Evaluators first.
  std::vector<int> process_ids() const;

  // --- Who may start ---
  // No measurement that it would disturb is under way.
  bool may_load(const Place& place) const;
  // Nothing that would disturb a measurement there is under way either.
  bool may_measure(StudyIndex study, DeviceIndex device, TimePoint now) const;
  WorkerSlot* idle_builder(StudyIndex study) const;
  // The place whose turn it is to start a spare; nullopt for none.
  std::optional<std::size_t> next_spare_place(TimePoint now) const;
  // Remembers what can start now. True where something can that could not at the last look.
  template <class CanStart>
  bool anything_opened(CanStart can_start) {
    bool opened = false;
    for (Place& place : places_) {
      const bool open = place.slot && is_member(place.study) && can_start(place);
      opened = opened || (open && !place.was_open);
      place.was_open = open;
    }
    return opened;
  }

 private:
  struct Member {
    PoolStudy study;
    WorkerSetup setup;
    std::vector<std::size_t> evaluators;  // places, by device
    std::vector<std::size_t> builders;
    bool leaving = false;
  };

  std::size_t add(StudyIndex study, std::optional<DeviceIndex> device, SlotOptions options,
                  TimePoint now);
  SlotOptions common_options() const;
  SlotOptions evaluator_options(const Member& member, DeviceIndex device) const;
  SlotOptions builder_options(const Member& member, int number) const;
  bool disturbs(const Place& place, DeviceIndex measuring) const;
  int running_builds() const;

  const std::vector<Device>& devices_;
  const ForkedPoolOptions& options_;
  const CoreSharing sharing_;
  const std::string scratch_, run_mark_;
  ipc::Poller& poller_;
  std::vector<std::unique_ptr<Member>> members_;  // null once gone
  std::vector<Place> places_;
};

}  // namespace nightshift::scheduler
