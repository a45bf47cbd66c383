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

#include "ipc/orphans.h"
#include "ipc/poller.h"
#include "scheduler/errors.h"
#include "scheduler/pool/core_sharing.h"
#include "scheduler/pool/pool_signals.h"
#include "scheduler/pool/spare_order.h"
#include "scheduler/pool/warden_keeper.h"
#include "scheduler/pool/worker_slot.h"

namespace nightshift::scheduler {
namespace {

using TimePoint = Clock::TimePoint;

// Tokens of the poller. Workers are numbered from 0, kWorkersPerSlot for each slot, used or
// not; worker n rings as 2n and dies as 2n + 1.
constexpr std::uint64_t kSignalToken = ~std::uint64_t{0};
constexpr std::uint64_t kWardenToken = kSignalToken - 1;
constexpr std::uint64_t kBystanderToken = kSignalToken - 2;  // the first's; then downwards
constexpr std::uint64_t kWorkersPerSlot = 1 + kMostSpares;
constexpr std::uint64_t kTokensPerSlot = 2 * kWorkersPerSlot;

constexpr double kClosePatience = 15;  // seconds, for processes that hang in the kernel
constexpr double kSweepInterval = 1;   // seconds; orphans of processes that live on

TimePoint clock_now() { return TimePoint::clock::now(); }

void earlier(std::optional<TimePoint>& a, std::optional<TimePoint> b) {
  if (b && (!a || *b < *a)) a = b;
}

void empty_folder(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::error_code stays;
    std::filesystem::remove_all(entry.path(), stays);
  }
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
  bool can_build(StudyIndex study) const { return idle_builder(study) != nullptr; }
  bool is_measuring(StudyIndex study, DeviceIndex device) const {
    return evaluator(study, device).occupied();
  }
  void start(StudyIndex study, const Job& job);
  void retire(StudyIndex study, DeviceIndex device, const std::string& reason);
  SharedEvent wait(std::optional<TimePoint> deadline);
  std::vector<int> process_ids() const;

  const std::vector<Device>& devices() const { return devices_; }
  int builder_count() const { return options_.builders; }

 private:
  struct Member {
    PoolStudy study;
    WorkerSetup setup;
    std::vector<std::size_t> evaluators;  // places, by device
    std::vector<std::size_t> builders;
    bool leaving = false;
  };
  // Where one job at a time is done; empty once its study has left.
  struct Place {
    std::unique_ptr<WorkerSlot> slot;
    StudyIndex study = 0;
    std::optional<DeviceIndex> device;  // a builder has none
    bool was_open = false;              // something could start as of the last look
  };

  std::size_t add_place(StudyIndex study, std::optional<DeviceIndex> device, SlotOptions options);
  SlotOptions evaluator_options(const Member& member, DeviceIndex device) const;
  SlotOptions builder_options(int number) const;
  void forget_the_gone();
  WorkerSlot& evaluator(StudyIndex study, DeviceIndex device) const {
    return *places_[members_[study]->evaluators[device]].slot;
  }
  void take_news(std::size_t place);
  void place_failed(std::size_t place, const std::string& reason);
  void process_ended(std::size_t place, std::size_t which, TimePoint now);
  bool disturbs(const Place& place, DeviceIndex measuring) const;
  WorkerSlot* idle_builder(StudyIndex study) const;
  int running_builds() const;
  bool may_load(const Place& place) const;
  void start_due_processes(TimePoint now);
  bool start_a_spare(TimePoint now);
  bool can_start(const Place& place, TimePoint now) const;
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
  const CoreSharing sharing_;
  const std::string run_mark_ = random_hex(16);
  PoolSignals signals_;
  ipc::Poller poller_;
  std::optional<WardenKeeper> warden_;
  std::vector<std::unique_ptr<Member>> members_;  // null once gone
  std::vector<Place> places_;
  std::deque<SharedEvent> events_;
  TimePoint swept_{};
};

ForkedSharedPool::Impl::Impl(std::vector<Device> devices, ForkedPoolOptions options)
    : devices_(std::move(devices)),
      options_(std::move(options)),
      sharing_(devices_, options_.builder_cores, usable_cores()) {
  if (::access(options_.evaluator_program.c_str(), X_OK) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "the evaluator program " + options_.evaluator_program);
  }
  if (devices_.empty()) throw DeviceError("there is no device to measure on");
  ipc::become_subreaper();
  if (options_.catch_signals) signals_.watch(poller_, kSignalToken);
  warden_.emplace(poller_, kWardenToken, options_.evaluator_program, run_mark_,
                  options_.scratch_folder);
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
  empty_folder(options_.scratch_folder);
}

// --- Who takes part ---

SlotOptions ForkedSharedPool::Impl::evaluator_options(const Member& member,
                                                      DeviceIndex device) const {
  const Device& where = devices_[device];
  SlotOptions slot;
  slot.name = "the evaluator of " + where.uuid;
  slot.respawn_first = options_.respawn_first;
  slot.respawn_last = options_.respawn_last;
  const bool one_each = member.study.problem->scheduling.process_per_trial;
  slot.recycle_after = one_each ? 1 : options_.recycle_after;
  slot.placement.cores = where.cores;
  slot.placement.gpu = where.gpu;
  if (sharing_.spare_cores()) {
    slot.spares = std::clamp(member.study.hot_spares, 0, kMostSpares);
    slot.spare_placement = {*sharing_.spare_cores(), false, where.gpu};
  }
  return slot;
}

SlotOptions ForkedSharedPool::Impl::builder_options(int number) const {
  const ipc::GpuTarget& gpu = devices_.front().gpu;
  const bool idle = sharing_.builders_disturb_some() || !gpu.uuid.empty();
  SlotOptions slot;
  slot.name = "builder " + std::to_string(number);
  slot.respawn_first = options_.respawn_first;
  slot.respawn_last = options_.respawn_last;
  slot.recycle_after = options_.recycle_after;
  slot.placement = {options_.builder_cores, idle, gpu, false};
  return slot;
}

// Places of studies that have left are used again, so that tokens and loops stay short.
std::size_t ForkedSharedPool::Impl::add_place(StudyIndex study, std::optional<DeviceIndex> device,
                                              SlotOptions options) {
  const auto vacant = std::ranges::find_if(places_, [](const Place& p) { return !p.slot; });
  const auto number = static_cast<std::size_t>(vacant - places_.begin());
  if (vacant == places_.end()) places_.emplace_back();
  Place& place = places_[number];
  place.slot = std::make_unique<WorkerSlot>(members_[study]->setup, poller_,
                                            kWorkersPerSlot * number, std::move(options));
  place.slot->park(clock_now());
  place.study = study;
  place.device = device;
  place.was_open = false;
  return number;
}

StudyIndex ForkedSharedPool::Impl::admit(PoolStudy study) {
  const auto vacant = std::ranges::find_if(members_, [](const auto& m) { return !m; });
  const auto index = static_cast<StudyIndex>(vacant - members_.begin());
  if (vacant == members_.end()) members_.emplace_back();
  members_[index] = std::make_unique<Member>();
  Member& member = *members_[index];
  member.study = std::move(study);
  member.setup = {member.study.problem.get(),   options_.evaluator_program,
                  options_.evaluator_arguments, member.study.artifact_folder,
                  options_.scratch_folder,      run_mark_};
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    member.evaluators.push_back(add_place(index, d, evaluator_options(member, d)));
  }
  const int builders = search::needs_build(*member.study.problem) ? options_.builders : 0;
  for (int i = 0; i < builders; ++i) {
    member.builders.push_back(add_place(index, {}, builder_options(i)));
  }
  return index;
}

void ForkedSharedPool::Impl::dismiss(StudyIndex study) {
  members_[study]->leaving = true;
  for (const Place& place : places_) {
    if (place.slot && place.study == study) place.slot->close(clock_now());
  }
}

// Of studies that have left, once their last process is gone.
void ForkedSharedPool::Impl::forget_the_gone() {
  for (StudyIndex s = 0; s < members_.size(); ++s) {
    if (!members_[s] || !members_[s]->leaving) continue;
    const auto is_its = [s](const Place& p) { return p.slot && p.study == s; };
    if (std::ranges::any_of(
            places_, [&](const Place& p) { return is_its(p) && !p.slot->process_ids().empty(); })) {
      continue;
    }
    for (Place& place : places_) {
      if (is_its(place)) place.slot.reset();
    }
    members_[s].reset();
  }
}

void ForkedSharedPool::Impl::open(StudyIndex study, DeviceIndex device, bool spares) {
  evaluator(study, device).unpark(spares);
  start_due_processes(clock_now());
}

void ForkedSharedPool::Impl::close(StudyIndex study, DeviceIndex device) {
  evaluator(study, device).park(clock_now());
}

void ForkedSharedPool::Impl::set_builders(StudyIndex study, int count) {
  for (const std::size_t place : members_[study]->builders) {
    WorkerSlot& slot = *places_[place].slot;
    if (count-- > 0) {
      if (slot.parked()) slot.unpark(false);
    } else if (!slot.parked() && !slot.occupied()) {
      slot.park(clock_now());
    }
  }
  start_due_processes(clock_now());
}

// --- Who may start ---

bool ForkedSharedPool::Impl::disturbs(const Place& place, DeviceIndex measuring) const {
  if (!place.device) return sharing_.builders_disturb(measuring);
  return *place.device == measuring || sharing_.device_disturbs(*place.device, measuring);
}

// No measurement that it would disturb is under way.
bool ForkedSharedPool::Impl::may_load(const Place& place) const {
  return std::ranges::none_of(places_, [&](const Place& other) {
    return other.slot && other.device && &other != &place && other.slot->occupied() &&
           disturbs(place, *other.device);
  });
}

bool ForkedSharedPool::Impl::can_measure(StudyIndex study, DeviceIndex device,
                                         TimePoint now) const {
  const Place& place = places_[members_[study]->evaluators[device]];
  if (!place.slot->idle() || !may_load(place)) return false;
  return std::ranges::none_of(places_, [&](const Place& other) {
    return other.slot && &other != &place && disturbs(other, device) && other.slot->loading(now);
  });
}

int ForkedSharedPool::Impl::running_builds() const {
  return static_cast<int>(std::ranges::count_if(
      places_, [](const Place& p) { return p.slot && !p.device && p.slot->occupied(); }));
}

WorkerSlot* ForkedSharedPool::Impl::idle_builder(StudyIndex study) const {
  if (running_builds() >= options_.builders) return nullptr;
  for (const std::size_t place : members_[study]->builders) {
    if (places_[place].slot->idle() && may_load(places_[place])) return places_[place].slot.get();
  }
  return nullptr;
}

void ForkedSharedPool::Impl::start_due_processes(TimePoint now) {
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (!places_[p].slot) continue;
    WorkerSlot& slot = *places_[p].slot;
    if (slot.boot_due(now) && may_load(places_[p])) slot.boot(now);
    take_news(p);
  }
  while (start_a_spare(now)) {
  }
}

bool ForkedSharedPool::Impl::start_a_spare(TimePoint now) {
  std::vector<SparePlace> spares;
  std::vector<std::size_t> numbers;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (!places_[p].slot || !places_[p].device) continue;
    spares.push_back(places_[p].slot->spare_place(now));
    numbers.push_back(p);
  }
  const auto next = next_spare(spares);
  if (!next) return false;
  places_[numbers[*next]].slot->boot_spare(now);
  take_news(numbers[*next]);
  return true;
}

// --- Jobs ---

void ForkedSharedPool::Impl::start(StudyIndex study, const Job& job) {
  const TimePoint now = clock_now();
  const bool free = job.builds() ? can_build(study) : can_measure(study, job.device, now);
  if (!free) std::abort();  // the caller's promise
  WorkerSlot& slot = job.builds() ? *idle_builder(study) : evaluator(study, job.device);
  slot.start(job, now);
}

void ForkedSharedPool::Impl::retire(StudyIndex study, DeviceIndex device,
                                    const std::string& reason) {
  evaluator(study, device).retire(reason, clock_now());
  take_news(members_[study]->evaluators[device]);
}

// --- What slots say ---

void ForkedSharedPool::Impl::take_news(std::size_t place) {
  if (!places_[place].slot) return;
  const StudyIndex study = places_[place].study;
  for (SlotNews& news : places_[place].slot->take_news()) {
    if (members_[study]->leaving) continue;
    if (auto* ended = std::get_if<JobEnded>(&news)) {
      events_.push_back({study, std::move(*ended)});
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
  const bool one_left = std::ranges::any_of(
      members_[study]->builders, [&](std::size_t p) { return places_[p].slot->in_service(); });
  if (!one_left) fail_devices(study, reason);
}

// The study will never measure anything again.
void ForkedSharedPool::Impl::fail_devices(StudyIndex study, const std::string& reason) {
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (!evaluator(study, d).in_service()) continue;
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
  for (const int pid : process_ids()) known.insert(pid);
  if (warden_) known.insert(warden_->pid());
  ipc::sweep_orphans(known);
  swept_ = now;
}

// --- The loop ---

bool ForkedSharedPool::Impl::can_start(const Place& place, TimePoint now) const {
  if (!place.slot || members_[place.study]->leaving) return false;
  if (place.device) return can_measure(place.study, *place.device, now);
  return place.slot->idle() && can_build(place.study);
}

// Whether something can start now that could not when this was asked last.
bool ForkedSharedPool::Impl::place_opened(TimePoint now) {
  bool opened = false;
  for (Place& place : places_) {
    const bool open = can_start(place, now);
    opened = opened || (open && !place.was_open);
    place.was_open = open;
  }
  return opened;
}

SharedEvent ForkedSharedPool::Impl::wait(std::optional<TimePoint> deadline) {
  forget_the_gone();
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
    if (place_opened(now) || (deadline && now >= *deadline)) return {{}, Nothing{}};
  }
  SharedEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void ForkedSharedPool::Impl::handle(const std::vector<std::uint64_t>& ready, TimePoint now) {
  for (const bool exits : {false, true}) {  // rings before deaths
    for (const std::uint64_t token : ready) {
      const std::uint64_t place = token / kTokensPerSlot;
      if (place < places_.size() && places_[place].slot && exits == (token % 2 == 1)) {
        const std::size_t which = token % kTokensPerSlot / 2;
        exits ? process_ended(place, which, now) : places_[place].slot->on_ring(which, now);
        take_news(place);
      }
    }
  }
  for (const std::uint64_t token : ready) {
    if (token == kWardenToken) warden_->on_death(now);
    if (token <= kBystanderToken && kBystanderToken - token < options_.bystanders.size()) {
      on_bystander_end(options_.bystanders[kBystanderToken - token]);
    }
    if (token != kSignalToken) continue;
    for (PoolEvent& event : signals_.arrived(poller_, now)) {
      events_.push_back({{}, std::move(event)});
    }
  }
}

void ForkedSharedPool::Impl::on_bystander_end(const Bystander& bystander) {
  poller_.remove(bystander.pidfd);
  events_.push_back({{}, Notice{bystander.ended}});
  if (!bystander.needed) return;
  for (StudyIndex s = 0; s < members_.size(); ++s) {
    if (members_[s] && !members_[s]->leaving) fail_devices(s, bystander.ended);
  }
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
  for (const Place& place : places_) {
    if (place.slot) earlier(next, place.slot->next_time(now));
  }
  return next;
}

void ForkedSharedPool::Impl::close_all() {
  for (const Place& place : places_) {
    if (place.slot) place.slot->close(clock_now());
  }
  const TimePoint patience = clock_now() + std::chrono::seconds(static_cast<int>(kClosePatience));
  while (!process_ids().empty() && clock_now() < patience) {
    std::optional<TimePoint> until = patience;
    earlier(until, next_time(clock_now()));
    const auto& ready = poller_.wait(until);
    const TimePoint now = clock_now();
    handle(ready, now);
    handle_time(now);
  }
}

// Evaluators first.
std::vector<int> ForkedSharedPool::Impl::process_ids() const {
  std::vector<int> pids;
  for (const bool builders : {false, true}) {
    for (const Place& place : places_) {
      if (!place.slot || place.device.has_value() == builders) continue;
      for (const int pid : place.slot->process_ids()) pids.push_back(pid);
    }
  }
  return pids;
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
