#include "scheduler/forked_worker_pool.h"

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

WorkerSetup make_setup(const search::Problem& problem, const ForkedPoolOptions& options) {
  if (::access(options.evaluator_program.c_str(), X_OK) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "the evaluator program " + options.evaluator_program);
  }
  return {&problem,
          options.evaluator_program,
          options.evaluator_arguments,
          options.artifact_folder,
          options.scratch_folder,
          random_hex(16)};
}

void empty_folder(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::error_code stays;
    std::filesystem::remove_all(entry.path(), stays);
  }
}

}  // namespace

class ForkedWorkerPool::Impl {
 public:
  Impl(const search::Problem& problem, std::vector<Device> devices, ForkedPoolOptions options);
  ~Impl();

  bool can_measure(DeviceIndex device, TimePoint now) const;
  bool can_build() const { return idle_builder() != nullptr; }
  void start(const Job& job);
  void retire(DeviceIndex device, const std::string& reason);
  PoolEvent wait(std::optional<TimePoint> deadline);
  std::vector<int> process_ids() const;

  const std::vector<Device>& devices() const { return devices_; }
  int builder_count() const { return options_.builders; }

 private:
  void add_slot(SlotOptions slot);
  bool is_device(std::size_t slot) const { return slot < devices_.size(); }
  void take_news(std::size_t slot);
  void slot_failed(std::size_t slot, const std::string& reason);
  void process_ended(std::size_t slot, std::size_t which, TimePoint now);
  bool disturbs(std::size_t slot, DeviceIndex measuring) const;
  WorkerSlot* idle_builder() const;
  bool may_load(std::size_t slot) const;
  void start_due_processes(TimePoint now);
  std::vector<SparePlace> spare_places(TimePoint now) const;
  bool place_opened(TimePoint now);
  void handle(const std::vector<std::uint64_t>& ready, TimePoint now);
  void on_bystander_end(const Bystander& bystander);
  void handle_time(TimePoint now);
  std::optional<TimePoint> next_time(TimePoint now) const;
  void sweep(TimePoint now);
  void fail_devices(const std::string& reason);
  void close();

  const std::vector<Device> devices_;
  const ForkedPoolOptions options_;
  const CoreSharing sharing_;
  const WorkerSetup setup_;
  PoolSignals signals_;
  ipc::Poller poller_;
  std::optional<WardenKeeper> warden_;
  std::vector<std::unique_ptr<WorkerSlot>> slots_;  // of the devices, then of the builders
  std::deque<PoolEvent> events_;
  std::vector<bool> open_places_;  // as of the last look: devices, then building
  TimePoint swept_{};
};

ForkedWorkerPool::Impl::Impl(const search::Problem& problem, std::vector<Device> devices,
                             ForkedPoolOptions options)
    : devices_(std::move(devices)),
      options_(std::move(options)),
      sharing_(devices_, options_.builder_cores, usable_cores()),
      setup_(make_setup(problem, options_)) {
  if (devices_.empty()) throw DeviceError("there is no device to measure on");
  ipc::become_subreaper();
  if (options_.catch_signals) signals_.watch(poller_, kSignalToken);
  warden_.emplace(poller_, kWardenToken, options_.evaluator_program, setup_.run_mark,
                  options_.scratch_folder);
  SlotOptions common;
  common.respawn_first = options_.respawn_first;
  common.respawn_last = options_.respawn_last;
  common.recycle_after = problem.scheduling.process_per_trial ? 1 : options_.recycle_after;
  for (const Device& device : devices_) {
    SlotOptions slot = common;
    slot.name = "the evaluator of " + device.uuid;
    slot.placement.cores = device.cores;
    slot.placement.gpu = device.gpu;
    if (sharing_.spare_cores()) {
      slot.spares = std::clamp(options_.hot_spares, 0, kMostSpares);
      slot.spare_placement = {*sharing_.spare_cores(), false, device.gpu};
    }
    add_slot(std::move(slot));
  }
  for (int i = 0; i < options_.builders; ++i) {
    SlotOptions slot = common;
    slot.name = "builder " + std::to_string(i);
    const ipc::GpuTarget& gpu = devices_.front().gpu;
    const bool idle = sharing_.builders_disturb_some() || !gpu.uuid.empty();
    slot.placement = {options_.builder_cores, idle, gpu, false};
    slot.recycle_after = options_.recycle_after;
    add_slot(std::move(slot));
  }
  open_places_.resize(devices_.size() + 1);
  for (const std::string& notice : options_.notices) events_.emplace_back(Notice{notice});
  for (std::size_t i = 0; i < options_.bystanders.size(); ++i) {
    if (options_.bystanders[i].pidfd < 0) continue;
    poller_.add(options_.bystanders[i].pidfd, kBystanderToken - i);
  }
  start_due_processes(clock_now());
}

ForkedWorkerPool::Impl::~Impl() {
  try {
    close();
  } catch (const std::system_error&) {
    // epoll itself failed: the workers' own destructors kill and reap.
  }
  slots_.clear();
  (void)signals_.arrived(poller_, clock_now());  // what came while we were leaving anyway
  sweep(clock_now());
  empty_folder(options_.scratch_folder);
}

void ForkedWorkerPool::Impl::add_slot(SlotOptions slot) {
  const std::uint64_t first = kWorkersPerSlot * slots_.size();
  slots_.push_back(std::make_unique<WorkerSlot>(setup_, poller_, first, std::move(slot)));
}

// --- Who may start ---

bool ForkedWorkerPool::Impl::disturbs(std::size_t slot, DeviceIndex measuring) const {
  return is_device(slot) ? sharing_.device_disturbs(slot, measuring)
                         : sharing_.builders_disturb(measuring);
}

// No measurement that it would disturb is under way.
bool ForkedWorkerPool::Impl::may_load(std::size_t slot) const {
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (d != slot && disturbs(slot, d) && slots_[d]->occupied()) return false;
  }
  return true;
}

bool ForkedWorkerPool::Impl::can_measure(DeviceIndex device, TimePoint now) const {
  if (!slots_[device]->idle() || !may_load(device)) return false;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (s != device && disturbs(s, device) && slots_[s]->loading(now)) return false;
  }
  return true;
}

WorkerSlot* ForkedWorkerPool::Impl::idle_builder() const {
  for (std::size_t s = devices_.size(); s < slots_.size(); ++s) {
    if (slots_[s]->idle() && may_load(s)) return slots_[s].get();
  }
  return nullptr;
}

void ForkedWorkerPool::Impl::start_due_processes(TimePoint now) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    WorkerSlot& slot = *slots_[s];
    if (slot.boot_due(now) && may_load(s)) slot.boot(now);
    take_news(s);
  }
  while (const auto next = next_spare(spare_places(now))) {
    slots_[*next]->boot_spare(now);
    take_news(*next);
  }
}

std::vector<SparePlace> ForkedWorkerPool::Impl::spare_places(TimePoint now) const {
  std::vector<SparePlace> places;
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    places.push_back(slots_[d]->spare_place(now));
  }
  return places;
}

// --- Jobs ---

void ForkedWorkerPool::Impl::start(const Job& job) {
  const TimePoint now = clock_now();
  const bool free = job.builds() ? can_build() : can_measure(job.device, now);
  if (!free) std::abort();  // the caller's promise
  WorkerSlot& slot = job.builds() ? *idle_builder() : *slots_[job.device];
  slot.start(job, now);
}

void ForkedWorkerPool::Impl::retire(DeviceIndex device, const std::string& reason) {
  slots_[device]->retire(reason, clock_now());
  take_news(device);
}

// --- What slots say ---

void ForkedWorkerPool::Impl::take_news(std::size_t slot) {
  for (SlotNews& news : slots_[slot]->take_news()) {
    if (auto* ended = std::get_if<JobEnded>(&news)) {
      events_.emplace_back(std::move(*ended));
    } else {
      slot_failed(slot, std::get<SlotFailed>(news).reason);
    }
  }
}

void ForkedWorkerPool::Impl::slot_failed(std::size_t slot, const std::string& reason) {
  if (is_device(slot)) {
    events_.emplace_back(DeviceFailed{slot, reason});
    return;
  }
  const bool one_left = std::any_of(slots_.begin() + static_cast<std::ptrdiff_t>(devices_.size()),
                                    slots_.end(), [](const auto& s) { return s->in_service(); });
  if (!one_left) fail_devices(reason);
}

// Nothing will ever be measured again.
void ForkedWorkerPool::Impl::fail_devices(const std::string& reason) {
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (!slots_[d]->in_service()) continue;
    retire(d, reason);
    events_.emplace_back(DeviceFailed{d, reason});
  }
}

void ForkedWorkerPool::Impl::process_ended(std::size_t slot, std::size_t which, TimePoint now) {
  auto ended = slots_[slot]->reap(which, now);
  if (!ended) return;
  sweep(clock_now());
  std::error_code stays;
  std::filesystem::remove_all(ended->scratch, stays);
  slots_[slot]->on_end(which, std::move(*ended), now);
}

void ForkedWorkerPool::Impl::sweep(TimePoint now) {
  std::set<pid_t> known;
  for (const Bystander& bystander : options_.bystanders) known.insert(bystander.pid);
  for (const auto& slot : slots_) {
    for (const int pid : slot->process_ids()) known.insert(pid);
  }
  if (warden_) known.insert(warden_->pid());
  ipc::sweep_orphans(known);
  swept_ = now;
}

// --- The loop ---

// Whether something can start now that could not when this was asked last.
bool ForkedWorkerPool::Impl::place_opened(TimePoint now) {
  bool opened = false;
  for (DeviceIndex d = 0; d <= devices_.size(); ++d) {
    const bool open = is_device(d) ? can_measure(d, now) : can_build();
    opened = opened || (open && !open_places_[d]);
    open_places_[d] = open;
  }
  return opened;
}

PoolEvent ForkedWorkerPool::Impl::wait(std::optional<TimePoint> deadline) {
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
    if (place_opened(now) || (deadline && now >= *deadline)) return Nothing{};
  }
  PoolEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void ForkedWorkerPool::Impl::handle(const std::vector<std::uint64_t>& ready, TimePoint now) {
  for (const bool exits : {false, true}) {  // rings before deaths
    for (const std::uint64_t token : ready) {
      const std::uint64_t slot = token / kTokensPerSlot;
      if (slot < slots_.size() && exits == (token % 2 == 1)) {
        const std::size_t which = token % kTokensPerSlot / 2;
        exits ? process_ended(slot, which, now) : slots_[slot]->on_ring(which, now);
        take_news(slot);
      }
    }
  }
  for (const std::uint64_t token : ready) {
    if (token == kWardenToken) warden_->on_death(now);
    if (token <= kBystanderToken && kBystanderToken - token < options_.bystanders.size()) {
      on_bystander_end(options_.bystanders[kBystanderToken - token]);
    }
    if (token != kSignalToken) continue;
    for (PoolEvent& event : signals_.arrived(poller_, now)) events_.push_back(std::move(event));
  }
}

void ForkedWorkerPool::Impl::on_bystander_end(const Bystander& bystander) {
  poller_.remove(bystander.pidfd);
  events_.emplace_back(Notice{bystander.ended});
  if (bystander.needed) fail_devices(bystander.ended);
}

void ForkedWorkerPool::Impl::handle_time(TimePoint now) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    slots_[s]->on_time(now);
    take_news(s);
  }
  warden_->on_time(now);
  if (now - swept_ >= std::chrono::duration<double>(kSweepInterval)) sweep(now);
}

std::optional<TimePoint> ForkedWorkerPool::Impl::next_time(TimePoint now) const {
  std::optional<TimePoint> next = warden_->next_time();
  for (const auto& slot : slots_) earlier(next, slot->next_time(now));
  return next;
}

void ForkedWorkerPool::Impl::close() {
  for (const auto& slot : slots_) slot->close(clock_now());
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

std::vector<int> ForkedWorkerPool::Impl::process_ids() const {
  std::vector<int> pids;
  for (const auto& slot : slots_) {
    for (const int pid : slot->process_ids()) pids.push_back(pid);
  }
  return pids;
}

// --- The interface ---

ForkedWorkerPool::ForkedWorkerPool(const search::Problem& problem, std::vector<Device> devices,
                                   ForkedPoolOptions options)
    : impl_(std::make_unique<Impl>(problem, std::move(devices), std::move(options))) {}
ForkedWorkerPool::~ForkedWorkerPool() = default;

const std::vector<Device>& ForkedWorkerPool::devices() const { return impl_->devices(); }
bool ForkedWorkerPool::can_measure(DeviceIndex device) const {
  return impl_->can_measure(device, clock_now());
}
bool ForkedWorkerPool::can_build() const { return impl_->can_build(); }
int ForkedWorkerPool::builder_count() const { return impl_->builder_count(); }
void ForkedWorkerPool::start(const Job& job) { impl_->start(job); }
void ForkedWorkerPool::retire(DeviceIndex device, const std::string& reason) {
  impl_->retire(device, reason);
}
PoolEvent ForkedWorkerPool::wait(std::optional<TimePoint> deadline) {
  return impl_->wait(deadline);
}
std::vector<int> ForkedWorkerPool::process_ids() const { return impl_->process_ids(); }

}  // namespace nightshift::scheduler
