#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/batch/batch_host.h"
#include "scheduler/batch/batch_plan.h"
#include "scheduler/batch/device_load.h"
#include "scheduler/clock.h"
#include "scheduler/shared_pool.h"
#include "scheduler/tuner.h"

namespace nightshift::scheduler {

struct BatchParts {
  SharedPool& pool;
  BatchHost& host;
  const Clock& clock;
};

// When all has ended, Unix seconds of the record.
struct BatchDeadline {
  double at = 0;
  bool is_of_day = false;  // told as a time of the day: of Clock::wall_seconds()
  double left(const Clock& clock) const {
    return at - (is_of_day ? clock.wall_seconds() : clock.unix_seconds());
  }
};

struct BatchOutcome {
  bool interrupted = false;
  std::string lost;                                // BatchHost::lost(), which ended it
  std::vector<std::optional<BatchStudyEnd>> ends;  // by study; nullopt: it waits or is paused
};

// The loop of a batch. It joins BatchPlan, which says who gets which device, with the Tuners of the
// studies that run: carry out what is due, give every study its turn, wait for one event, hand it
// to its study.
//
// Turns are taken in this order, since who asks first starts first: studies with an open
// confirmation, the oldest first, so that pairs follow one another and two duels on the same
// devices cannot wait for each other; then those with the least that is ready to be measured, so
// that builders go where a device would wait; last those that have no device yet.
class BatchRunner {
 public:
  // `terms` by study, in the order of the batch. `standings`: where they stand; none: all wait.
  BatchRunner(const BatchParts& parts, std::vector<StudyTerms> terms,
              std::vector<StudyStanding> standings);

  // Until every study has ended, is paused or waits for one that is, a signal stopped all, or the
  // host has lost what it keeps.
  BatchOutcome run(std::optional<BatchDeadline> deadline);

  // That a device has had a job in hand in this run, whosever.
  double busy_seconds(DeviceIndex device) const { return load_.busy_seconds(device); }

 private:
  struct Running {
    std::unique_ptr<ActiveStudy> study;
    std::vector<bool> guest;               // by device
    std::vector<Clock::TimePoint> wanted;  // by device: when it wanted to be a guest last
    std::uint64_t confirmation = 0;        // id of the open one; 0 = none
    std::uint64_t opened = 0;              // its place among all that were opened
    std::uint64_t measured = 0;            // its last evaluation's place among all that have ended
    std::optional<BatchStudyEnd> stop;     // why it was told to stop
    bool waited = false;                   // its clock began late
    int builders = 0;                      // that it may have processes of
    double told_made_up = 0;               // seconds, as the host knows them
  };

  void take_requests();
  void take_devices();
  void see_whether_lost();
  void reach(DeviceIndex device, bool can_be_reached, const PoolEvent& event);
  void bar(std::size_t study, DeviceIndex device);
  void plan(const std::optional<BatchDeadline>& deadline);
  void see_what_is_built();
  void plan_once(const std::optional<BatchDeadline>& deadline);
  void look_at(std::size_t study);
  void see_what_is_told();
  void begin_ahead();
  void carry_out(const BatchPlan::Begin& step);
  void carry_out(const BatchPlan::Lend& step);
  void carry_out(const BatchPlan::TakeBack& step);
  void carry_out(const BatchPlan::Limit& step);
  void carry_out(const BatchPlan::GiveUp& step);
  void carry_out(const BatchPlan::Suffice& step);
  void carry_out(const BatchPlan::PutOff& step);
  void carry_out(const BatchPlan::Leave& step);
  void own(std::size_t study, DeviceIndex device);
  void free_what_is_done();
  void lend_to_guests();
  void see_what_is_left_idle();
  void share_builders();
  void add_builders();
  void give_turns();
  void turn(std::size_t study);
  void interrupt(std::size_t study, std::string reason);
  void guarded(std::size_t study, const std::function<void()>& action);
  std::vector<std::size_t> in_order();
  void fold(const SharedEvent& event);
  void stop(std::size_t study, BatchStudyEnd why);
  void tell_made_up(std::size_t study, bool has_ended);
  void end(std::size_t study, const BatchStudyEnd& how);
  void lose_devices(std::size_t study);
  int studies_ahead() const;
  bool has_device(std::size_t study) const;
  bool shares_device(std::size_t study) const;
  DeviceLoad::AtWork who_measures() const;
  std::vector<DeviceLoad::Need> who_needs(const DeviceLoad::AtWork& at_work) const;
  bool any_can_begin() const;
  bool waits_for_paused(std::size_t study) const;
  double now() const;

  BatchParts parts_;
  BatchPlan plan_;
  std::vector<StudyTerms> terms_;
  std::vector<StudyStanding> standings_;
  std::vector<DeviceStanding> devices_;
  std::vector<std::unique_ptr<Running>> running_;  // by study; null while it does not run
  BatchOutcome outcome_;
  std::vector<std::size_t> left_;    // as the host was told last
  std::uint64_t confirmations_ = 0;  // opened so far
  std::uint64_t evaluations_ = 0;    // ended so far
  int most_builders_ = 1;            // of one study
  bool redivide_ = true;
  bool told_ = false;                      // see BatchMoment
  std::optional<BatchPlan::Begin> ahead_;  // a study to begin without a device, after all turns
  bool stopping_ = false;
  Clock::TimePoint began_, planned_;
  DeviceLoad load_;
};

}  // namespace nightshift::scheduler
