#include "scheduler/forked_shared_pool.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "ipc/mailbox.h"
#include "ipc/orphans.h"
#include "ipc/poller.h"
#include "scheduler/errors.h"
#include "scheduler/pool/place_table.h"
#include "scheduler/pool/pool_signals.h"
#include "scheduler/pool/warden_keeper.h"

namespace nightshift::scheduler {
namespace {

using TimePoint = Clock::TimePoint;

// Tokens of the poller: worker n (kWorkersPerPlace) rings as 2n and dies as 2n + 1.
constexpr std::uint64_t kSignalToken = ~std::uint64_t{0};
constexpr std::uint64_t kWardenToken = kSignalToken - 1;
constexpr std::uint64_t kWakeToken = kSignalToken - 2;
constexpr std::uint64_t kBystanderToken = kSignalToken - 3;  // the first's; then downwards
constexpr std::uint64_t kTokensPerPlace = 2 * kWorkersPerPlace;

constexpr double kClosePatience = 15;  // seconds, for processes that hang in the kernel
constexpr double kSweepInterval = 1;   // seconds; orphans of processes that live on

TimePoint clock_now() { return TimePoint::clock::now(); }

void earlier(std::optional<TimePoint>& a, std::optional<TimePoint> b) {
  if (b && (!a || *b < *a)) a = b;
}

// Of this run alone: the warden of one that was killed may still be removing its own.
std::string own_scratch(const std::string& folder, const std::string& run_mark) {
  std::string own = folder + "/" + run_mark;
  std::filesystem::create_directory(own);
  return own;
}

}  // namespace

class ForkedSharedPool::Impl {
 public:
  Impl(std::vector<Device> devices, ForkedPoolOptions options);
  ~Impl();

  StudyIndex admit(PoolStudy study);
  void dismiss(StudyIndex study);
  void open(StudyIndex study, DeviceIndex device, bool spares);
  void close(StudyIndex study, DeviceIndex device);
  void set_builders(StudyIndex study, int count);
  bool can_measure(StudyIndex study, DeviceIndex device, TimePoint now) const;
  bool can_build(StudyIndex study) const { return places_.idle_builder(study) != nullptr; }
  bool is_measuring(StudyIndex study, DeviceIndex device) const {
    return places_.evaluator(study, device).occupied();
  }
  void start(StudyIndex study, const Job& job);
  void retire(StudyIndex study, DeviceIndex device, const std::string& reason);
  SharedEvent wait(std::optional<TimePoint> deadline);
  std::vector<int> process_ids() const { return places_.process_ids(); }

  const std::vector<Device>& devices() const { return devices_; }
  int builder_count() const { return options_.builders; }

 private:
  void take_news(std::size_t place);
  void place_failed(std::size_t place, const std::string& reason);
  void process_ended(std::size_t place, std::size_t which, TimePoint now);
  bool ended_unheard(StudyIndex study, DeviceIndex device) const;
  void start_due_processes(TimePoint now);
  bool place_opened(TimePoint now);
  void handle(const std::vector<std::uint64_t>& ready, TimePoint now);
  void on_bystander_end(const Bystander& bystander);
  void handle_time(TimePoint now);
  std::optional<TimePoint> next_time(TimePoint now) const;
  void sweep(TimePoint now);
  void fail_devices(StudyIndex study, const std::string& reason);
  void close_all();

  const std::vector<Device> devices_;
  const ForkedPoolOptions options_;
  const std::string run_mark_ = ipc::fresh_run_mark();
  const std::string scratch_;
  PoolSignals signals_;
  ipc::Poller poller_;
  std::optional<WardenKeeper> warden_;
  PlaceTable places_;
  std::deque<SharedEvent> events_;
  TimePoint swept_{};
  bool woken_ = false;
};

ForkedSharedPool::Impl::Impl(std::vector<Device> devices, ForkedPoolOptions options)
    : devices_(std::move(devices)),
      options_(std::move(options)),
      scratch_(own_scratch(options_.scratch_folder, run_mark_)),
      places_(devices_, options_, scratch_, run_mark_, poller_) {
  if (::access(options_.evaluator_program.c_str(), X_OK) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "the evaluator program " + options_.evaluator_program);
  }
  if (devices_.empty()) throw DeviceError("there is no device to measure on");
  ipc::expect_room_for_mailboxes();
  ipc::become_subreaper();
  if (options_.catch_signals) signals_.watch(poller_, kSignalToken);
  if (options_.wake_fd >= 0) poller_.add(options_.wake_fd, kWakeToken);
  std::vector<std::string> folders = options_.temporary_folders;
  folders.push_back(scratch_);
  warden_.emplace(poller_, kWardenToken, options_.evaluator_program, run_mark_, folders);
  for (const std::string& notice : options_.notices) events_.push_back({{}, Notice{notice}});
  for (std::size_t i = 0; i < options_.bystanders.size(); ++i) {
    if (options_.bystanders[i].pidfd < 0) continue;
    poller_.add(options_.bystanders[i].pidfd, kBystanderToken - i);
  }
}

ForkedSharedPool::Impl::~Impl() {
  try {
    close_all();
  } catch (const std::system_error&) {
    // epoll itself failed: the workers' own destructors kill and reap.
  }
  places_.clear();
  (void)signals_.arrived(poller_, clock_now());  // what came while we were leaving anyway
  sweep(clock_now());
  std::error_code stays;
  std::filesystem::remove_all(scratch_, stays);
}

// --- Who takes part ---

StudyIndex ForkedSharedPool::Impl::admit(PoolStudy study) {
  return places_.admit(std::move(study), clock_now());
}

// The study's number is given to another one some time: what nobody has heard yet must not reach
// it.
void ForkedSharedPool::Impl::dismiss(StudyIndex study) {
  places_.dismiss(study, clock_now());
  std::erase_if(events_, [study](const SharedEvent& event) { return event.study == study; });
}

void ForkedSharedPool::Impl::open(StudyIndex study, DeviceIndex device, bool spares) {
  places_.evaluator(study, device).unpark(spares);
  places_.adopt(study, device, clock_now());
  places_.forget_the_gone();
  start_due_processes(clock_now());
}

void ForkedSharedPool::Impl::close(StudyIndex study, DeviceIndex device) {
  places_.evaluator(study, device).park(clock_now());
}

void ForkedSharedPool::Impl::set_builders(StudyIndex study, int count) {
  places_.set_builders(study, count, clock_now());
  start_due_processes(clock_now());
}

// --- Who may start ---

// An evaluation has ended there, and its study does not know yet: what it would start now it would
// choose as if that went on, and come between the two of a pair.
bool ForkedSharedPool::Impl::ended_unheard(StudyIndex study, DeviceIndex device) const {
  return std::ranges::any_of(events_, [&](const SharedEvent& event) {
    const auto* ended = std::get_if<JobEnded>(&event.event);
    return ended != nullptr && event.study == study && ended->device == device;
  });
}

bool ForkedSharedPool::Impl::can_measure(StudyIndex study, DeviceIndex device,
                                         TimePoint now) const {
  return !ended_unheard(study, device) && places_.may_measure(study, device, now);
}

void ForkedSharedPool::Impl::start_due_processes(TimePoint now) {
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (!places_[p].slot) continue;
    WorkerSlot& slot = *places_[p].slot;
    if (slot.boot_due(now) && places_.may_load(places_[p])) slot.boot(now);
    take_news(p);
  }
  while (const auto next = places_.next_spare_place(now)) {
    places_[*next].slot->boot_spare(now);
    take_news(*next);
  }
}

// --- Jobs ---

void ForkedSharedPool::Impl::start(StudyIndex study, const Job& job) {
  const TimePoint now = clock_now();
  const bool free = job.builds() ? can_build(study) : can_measure(study, job.device, now);
  if (!free) std::abort();  // the caller's promise
  WorkerSlot& slot =
      job.builds() ? *places_.idle_builder(study) : places_.evaluator(study, job.device);
  slot.start(job, now);
}

void ForkedSharedPool::Impl::retire(StudyIndex study, DeviceIndex device,
                                    const std::string& reason) {
  places_.evaluator(study, device).retire(reason, clock_now());
  take_news(places_.place_of(study, device));
}

// --- What slots say ---

void ForkedSharedPool::Impl::take_news(std::size_t place) {
  if (!places_[place].slot) return;
  const StudyIndex study = places_[place].study;
  for (SlotNews& news : places_[place].slot->take_news()) {
    if (!places_.is_member(study)) continue;
    if (auto* ended = std::get_if<JobEnded>(&news)) {
      events_.push_back({study, std::move(*ended)});
    } else if (auto* waits = std::get_if<SlotWaits>(&news)) {
      events_.push_back({study, Notice{waits->reason, places_[place].device}});
    } else {
      place_failed(place, std::get<SlotFailed>(news).reason);
    }
  }
}

void ForkedSharedPool::Impl::place_failed(std::size_t place, const std::string& reason) {
  const StudyIndex study = places_[place].study;
  if (places_[place].device) {
    events_.push_back({study, DeviceFailed{*places_[place].device, reason}});
    return;
  }
  if (!places_.any_builder_in_service(study)) fail_devices(study, reason);
}

// The study will never measure anything again.
void ForkedSharedPool::Impl::fail_devices(StudyIndex study, const std::string& reason) {
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (!places_.evaluator(study, d).in_service()) continue;
    retire(study, d, reason);
    events_.push_back({study, DeviceFailed{d, reason}});
  }
}

void ForkedSharedPool::Impl::process_ended(std::size_t place, std::size_t which, TimePoint now) {
  auto ended = places_[place].slot->reap(which, now);
  if (!ended) return;
  sweep(clock_now());
  std::error_code stays;
  std::filesystem::remove_all(ended->scratch, stays);
  places_[place].slot->on_end(which, std::move(*ended), now);
}

void ForkedSharedPool::Impl::sweep(TimePoint now) {
  std::set<pid_t> known;
  for (const Bystander& bystander : options_.bystanders) known.insert(bystander.pid);
  for (const int pid : places_.process_ids()) known.insert(pid);
  if (warden_) known.insert(warden_->pid());
  ipc::sweep_orphans(known);
  swept_ = now;
}

// --- The loop ---

// Whether something can start now that could not when this was asked last.
bool ForkedSharedPool::Impl::place_opened(TimePoint now) {
  return places_.anything_opened([&](const PlaceTable::Place& place) {
    if (place.device) return can_measure(place.study, *place.device, now);
    return place.slot->idle() && can_build(place.study);
  });
}

SharedEvent ForkedSharedPool::Impl::wait(std::optional<TimePoint> deadline) {
  places_.forget_the_gone();
  if (events_.empty()) (void)place_opened(clock_now());
  while (events_.empty()) {
    const TimePoint before = clock_now();
    start_due_processes(before);
    std::optional<TimePoint> until = next_time(before);
    earlier(until, deadline);
    const auto& ready = poller_.wait(events_.empty() ? until : TimePoint{});
    const TimePoint now = clock_now();
    handle(ready, now);
    handle_time(now);
    if (!events_.empty()) break;
    const bool opened = place_opened(now);
    const bool woken = std::exchange(woken_, false);
    if (opened || woken || (deadline && now >= *deadline)) return {{}, Nothing{}};
  }
  SharedEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void ForkedSharedPool::Impl::handle(const std::vector<std::uint64_t>& ready, TimePoint now) {
  for (const bool exits : {false, true}) {  // rings before deaths
    for (const std::uint64_t token : ready) {
      const std::uint64_t place = token / kTokensPerPlace;
      if (place < places_.size() && places_[place].slot && exits == (token % 2 == 1)) {
        const std::size_t which = token % kTokensPerPlace / 2;
        exits ? process_ended(place, which, now) : places_[place].slot->on_ring(which, now);
        take_news(place);
      }
    }
  }
  for (const std::uint64_t token : ready) {
    if (token == kWardenToken) warden_->on_death(now);
    if (token == kWakeToken) woken_ = true;
    if (token <= kBystanderToken && kBystanderToken - token < options_.bystanders.size()) {
      on_bystander_end(options_.bystanders[kBystanderToken - token]);
    }
    if (token != kSignalToken) continue;
    for (PoolEvent& event : signals_.arrived(poller_, now, run_mark_)) {
      events_.push_back({{}, std::move(event)});
    }
  }
}

void ForkedSharedPool::Impl::on_bystander_end(const Bystander& bystander) {
  poller_.remove(bystander.pidfd);
  events_.push_back({{}, Notice{bystander.ended}});
  if (!bystander.needed) return;
  for (const StudyIndex study : places_.members()) fail_devices(study, bystander.ended);
}

void ForkedSharedPool::Impl::handle_time(TimePoint now) {
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (!places_[p].slot) continue;
    places_[p].slot->on_time(now);
    take_news(p);
  }
  warden_->on_time(now);
  if (now - swept_ >= std::chrono::duration<double>(kSweepInterval)) sweep(now);
}

std::optional<TimePoint> ForkedSharedPool::Impl::next_time(TimePoint now) const {
  std::optional<TimePoint> next = warden_->next_time();
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (places_[p].slot) earlier(next, places_[p].slot->next_time(now));
  }
  return next;
}

void ForkedSharedPool::Impl::close_all() {
  if (options_.wake_fd >= 0) poller_.remove(options_.wake_fd);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (places_[p].slot) places_[p].slot->close(clock_now());
  }
  const TimePoint patience = clock_now() + std::chrono::seconds(static_cast<int>(kClosePatience));
  while (!places_.process_ids().empty() && clock_now() < patience) {
    std::optional<TimePoint> until = patience;
    earlier(until, next_time(clock_now()));
    const auto& ready = poller_.wait(until);
    const TimePoint now = clock_now();
    handle(ready, now);
    handle_time(now);
  }
}

// --- The interface ---

ForkedSharedPool::ForkedSharedPool(std::vector<Device> devices, ForkedPoolOptions options)
    : impl_(std::make_unique<Impl>(std::move(devices), std::move(options))) {}
ForkedSharedPool::~ForkedSharedPool() = default;

const std::vector<Device>& ForkedSharedPool::devices() const { return impl_->devices(); }
int ForkedSharedPool::builder_count() const { return impl_->builder_count(); }
StudyIndex ForkedSharedPool::admit(PoolStudy study) { return impl_->admit(std::move(study)); }
void ForkedSharedPool::dismiss(StudyIndex study) { impl_->dismiss(study); }
void ForkedSharedPool::open(StudyIndex study, DeviceIndex device, bool spares) {
  impl_->open(study, device, spares);
}
void ForkedSharedPool::close(StudyIndex study, DeviceIndex device) { impl_->close(study, device); }
void ForkedSharedPool::set_builders(StudyIndex study, int count) {
  impl_->set_builders(study, count);
}
bool ForkedSharedPool::can_measure(StudyIndex study, DeviceIndex device) const {
  return impl_->can_measure(study, device, clock_now());
}
bool ForkedSharedPool::can_build(StudyIndex study) const { return impl_->can_build(study); }
bool ForkedSharedPool::is_measuring(StudyIndex study, DeviceIndex device) const {
  return impl_->is_measuring(study, device);
}
void ForkedSharedPool::start(StudyIndex study, const Job& job) { impl_->start(study, job); }
void ForkedSharedPool::retire(StudyIndex study, DeviceIndex device, const std::string& reason) {
  impl_->retire(study, device, reason);
}
SharedEvent ForkedSharedPool::wait(std::optional<TimePoint> deadline) {
  return impl_->wait(deadline);
}
std::vector<int> ForkedSharedPool::process_ids() const { return impl_->process_ids(); }

}  // namespace nightshift::scheduler
