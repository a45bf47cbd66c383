#include "scheduler/pool/worker_slot.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "ipc/system_call.h"
#include "scheduler/pool/dead_artifact.h"
#include "scheduler/pool/job_end.h"
#include "scheduler/pool/room_left.h"
#include "scheduler/seconds.h"

namespace nightshift::scheduler {

using State = Worker::State;

namespace {

constexpr int kToldRefusal = 2;  // the next try may do

}  // namespace

WorkerSlot::WorkerSlot(const WorkerSetup& setup, ipc::Poller& poller,
                       std::uint64_t first_worker_number, SlotOptions options)
    : options_(std::move(options)),
      setup_(setup),
      poller_(poller),
      backoff_(options_.respawn_first, options_.respawn_last) {
  for (int i = 0; i <= options_.spares; ++i) {
    workers_.push_back(std::make_unique<Worker>(setup, poller, first_worker_number++));
  }
  current_ = workers_.front().get();
}

bool WorkerSlot::loading(TimePoint now) const {
  const State state = current_->state();
  if (state == State::kDown) return boot_due(now);
  return state != State::kIdle || job_;
}

bool WorkerSlot::boot_due(TimePoint now) const {
  return !out_of_service_ && !parked_ && current_->state() == State::kDown &&
         now >= backoff_.not_before();
}

bool WorkerSlot::spare_due(TimePoint now) const {
  if (out_of_service_ || parked_ || !with_spares_ || now < backoff_.not_before()) return false;
  return current_stands() && missing_spare() != nullptr;
}

SparePlace WorkerSlot::spare_place(TimePoint now) const {
  SparePlace place;
  place.awaited = awaited_ && !out_of_service_ && !parked_;
  place.due = spare_due(now);
  place.gpu = !options_.placement.gpu.uuid.empty();
  place.settled = current_->served() > 1 || (current_->served() == 1 && !job_);
  for (const auto& worker : workers_) {
    const State state = worker->state();
    if (worker.get() == current_ || state == State::kDown) continue;
    ++place.spares;
    place.starting = place.starting || state == State::kBoot || state == State::kConfigure;
  }
  return place;
}

bool WorkerSlot::current_stands() const {
  return current_->state() == State::kIdle || current_->state() == State::kBusy;
}

Worker* WorkerSlot::missing_spare() const {
  for (const auto& worker : workers_) {
    if (worker.get() != current_ && worker->state() == State::kDown) return worker.get();
  }
  return nullptr;
}

// The one that is ready, or will be first.
Worker* WorkerSlot::best_spare() const {
  for (const State state : {State::kIdle, State::kConfigure, State::kBoot}) {
    for (const auto& worker : workers_) {
      if (worker.get() != current_ && worker->state() == state) return worker.get();
    }
  }
  return nullptr;
}

void WorkerSlot::boot(TimePoint now) {
  away_ = false;
  start_process(*current_, options_.placement, now);
}

void WorkerSlot::boot_spare(TimePoint now) {
  start_process(*missing_spare(), options_.spare_placement, now);
}

void WorkerSlot::start_process(Worker& worker, const Placement& placement, TimePoint now) {
  try {
    worker.boot(placement, now);
  } catch (const std::system_error& e) {
    on_start_failure(e.what(), ipc::is_for_now(e) ? Blame::kSystem : Blame::kProgram, now);
  }
}

void WorkerSlot::park(TimePoint now) {
  if (job_) std::abort();
  parked_ = true;
  for (const auto& worker : workers_) {
    if (worker->state() != State::kDown) worker->stop(now);
  }
}

void WorkerSlot::unpark(bool spares) {
  parked_ = false;
  with_spares_ = spares;
}

void WorkerSlot::start(Job job, TimePoint now) {
  if (!idle()) std::abort();
  job_ = std::move(job);
  posted_ = false;
  moved_ = false;
  if (job_->fresh_process && !current_->fresh()) {
    current_->stop(now);  // its end brings the fresh one
  } else {
    post_job(now);
  }
}

void WorkerSlot::post_job(TimePoint now) {
  if (current_->post(*job_, now)) {
    posted_ = true;
  } else {
    finish(search::TrialOutcome(search::LaunchFailed{"the request does not fit into the mailbox"}),
           current_->fresh(), false);
  }
}

void WorkerSlot::finish(Result result, bool fresh, bool killed_by_others) {
  const Job job = std::move(*job_);
  job_.reset();
  posted_ = false;
  JobEnded end = end_of(job, std::move(result));
  end.fresh_process = fresh;
  end.killed_by_others = end.killed_by_others || killed_by_others;
  if (end.damaged.empty()) {
    end.damaged = damaged_behind(*setup_.problem, setup_.artifact_folder, job, end.report.outcome);
  }
  if (search::is_failure(end.report.outcome)) {
    std::error_code unknown;
    const std::string temporary = std::filesystem::temp_directory_path(unknown).string();
    end.lack = lack_of_machine({setup_.artifact_folder, setup_.scratch_folder, temporary},
                               end.report.outcome);
  }
  news_.emplace_back(std::move(end));
}

void WorkerSlot::fold(Worker& worker, WorkerNews news, TimePoint now) {
  if (std::holds_alternative<BecameIdle>(news)) {
    on_became_idle(worker, now);
  } else if (auto* refused = std::get_if<Refused>(&news)) {
    // A spare that refuses what the current one serves is only a failed start.
    if (&worker == current_) {
      fail(options_.name + " refuses the problem: " + refused->reason, now);
    } else {
      worker.stop(now);
      on_start_failure(refused->reason, Blame::kProgram, now);
    }
  } else if (auto* answered = std::get_if<Answered>(&news)) {
    backoff_.worked();
    const auto* evaluated = std::get_if<ipc::EvaluatedReply>(&answered->reply);
    const bool spent = evaluated != nullptr && evaluated->spent;
    const bool used_up = spent || worker.served() >= options_.recycle_after;
    const bool fresh = worker.served() == 1;
    if (spent) {
      worker.kill(now);  // its context is broken: nothing is left to be done politely
    } else if (used_up) {
      worker.stop(now);
    }
    if (job_) finish(std::move(answered->reply), fresh, false);
  } else if (auto* ended = std::get_if<Ended>(&news)) {
    on_ended(worker, *ended, now);
  } else if (auto* stuck = std::get_if<Stuck>(&news)) {
    if (job_ && posted_ && &worker == current_ && stuck->outcome) {
      finish(std::move(*stuck->outcome), worker.served() == 1, false);
    }
    if (!out_of_service_) fail(options_.name + ": " + stuck->how, now);
  }
}

void WorkerSlot::on_became_idle(Worker& worker, TimePoint now) {
  awaited_ = false;
  if (rests_until_) return;
  if (out_of_service_ || parked_) {
    worker.stop(now);
  } else if (&worker == current_ && move_home(now) && job_) {
    post_job(now);
  }
}

void WorkerSlot::on_ended(Worker& worker, Ended& ended, TimePoint now) {
  if (job_ && posted_ && &worker == current_) {
    const bool fresh = worker.served() == 1;
    if (ended.reply) {
      finish(std::move(*ended.reply), fresh, false);
    } else if (ended.job_blameless && !moved_) {
      moved_ = true;
      posted_ = false;
    } else {
      finish(std::move(*ended.outcome), fresh, ended.killed_by_others);
    }
    backoff_.worked();  // it came as far as a job
  } else if (!ended.on_request && (ended.while_starting || worker.fresh())) {
    on_start_failure(ended.how, ended.killed_by_others ? Blame::kOthers : Blame::kProgram, now);
  }
  if (&worker == current_ && !out_of_service_ && !parked_) promote_spare(now);
}

void WorkerSlot::promote_spare(TimePoint now) {
  Worker* next = best_spare();
  if (next == nullptr) return;
  current_ = next;
  away_ = true;
  if (next->state() == State::kIdle && move_home(now) && job_) post_job(now);
}

// False when the current process cannot run where it is to measure; it is killed then.
bool WorkerSlot::move_home(TimePoint now) {
  if (!std::exchange(away_, false)) return true;
  try {
    current_->pin_to_cores(options_.placement.cores);
    return true;
  } catch (const std::system_error& e) {
    current_->kill(now);
    on_start_failure(e.what(), Blame::kProgram, now);
    return false;
  }
}

void WorkerSlot::on_start_failure(const std::string& how, Blame blame, TimePoint now) {
  awaited_ = false;
  if (blame == Blame::kOthers) backoff_.killed_by_others(now);
  if (blame == Blame::kSystem && backoff_.refused(now) == kToldRefusal) {
    if (job_ && !posted_ && !job_->builds()) {
      news_.emplace_back(not_begun(*std::exchange(job_, std::nullopt)));
    }
    news_.emplace_back(
        SlotWaits{options_.name + " waits, as it cannot be started for now: " + how});
  }
  if (blame == Blame::kProgram) backoff_.failed(now);
  if (out_of_service_ || current_stands() || !backoff_.exhausted()) return;
  fail(options_.name + " cannot be started (" + std::to_string(backoff_.attempts()) +
           " attempts): " + how,
       now);
}

void WorkerSlot::fail(const std::string& reason, TimePoint now) {
  retire(reason, now);
  news_.emplace_back(SlotFailed{reason});
}

void WorkerSlot::retire(const std::string& reason, TimePoint now) {
  out_of_service_ = true;
  if (job_) finish(search::TrialOutcome(search::DeviceLost{reason}), false, false);
  for (const auto& worker : workers_) worker->kill(now);
}

void WorkerSlot::close(TimePoint now) {
  out_of_service_ = true;
  rests_until_.reset();
  job_.reset();
  for (const auto& worker : workers_) worker->stop(now);
}

bool WorkerSlot::may_rest(const Worker& worker, bool used) const {
  if (!worker.may_change_hands()) return false;
  return worker.fresh() || (used && &worker == current_ && !job_);
}

void WorkerSlot::rest(TimePoint now, double seconds, bool used) {
  if (parked_ || out_of_service_) return close(now);
  out_of_service_ = true;
  for (const auto& worker : workers_) {
    if (may_rest(*worker, used)) {
      rests_until_ = now + scheduler::seconds(seconds);
    } else {
      worker->stop(now);
    }
  }
  job_.reset();
}

std::vector<WorkerSlot::Handed> WorkerSlot::hand_over(std::size_t most) {
  std::vector<std::unique_ptr<Worker>*> able;
  for (auto& worker : workers_) {
    if (rests_until_ && worker->may_change_hands()) able.push_back(&worker);
  }
  // States are in the order of a start.
  std::ranges::stable_sort(able, std::greater(), [this](const auto* worker) {
    return std::pair((*worker)->state(), worker->get() == current_);
  });
  able.resize(std::min(able.size(), most));
  std::vector<Handed> handed;
  for (auto* const worker : able) {
    const bool is_current = worker->get() == current_;
    auto left = std::make_unique<Worker>(setup_, poller_, (*worker)->number());
    if (is_current) current_ = left.get();
    std::swap(*worker, left);
    handed.push_back({std::move(left), !is_current || away_});
  }
  return handed;
}

std::size_t WorkerSlot::may_adopt() const {
  if (out_of_service_ || current_->state() != State::kDown) return 0;
  if (!with_spares_) return 1;
  const auto is_down = [](const auto& worker) { return worker->state() == State::kDown; };
  return static_cast<std::size_t>(std::ranges::count_if(workers_, is_down));
}

void WorkerSlot::adopt(std::vector<Handed> processes, TimePoint now) {
  for (Handed& handed : processes) {
    const bool to_measure = current_->state() == State::kDown;
    Worker* const place = to_measure ? current_ : missing_spare();
    const auto own = std::ranges::find(workers_, place, &std::unique_ptr<Worker>::get);
    handed.worker->change_hands(setup_, place->number(), now);
    *own = std::move(handed.worker);
    if (!to_measure) continue;
    current_ = own->get();
    away_ = handed.away;
  }
}

void WorkerSlot::on_ring(std::size_t which, TimePoint now) {
  fold(*workers_[which], workers_[which]->on_ring(now), now);
}

std::optional<Ended> WorkerSlot::reap(std::size_t which, TimePoint now) {
  WorkerNews news = workers_[which]->on_exit(now);
  auto* ended = std::get_if<Ended>(&news);
  if (ended == nullptr) return std::nullopt;
  return std::move(*ended);
}

void WorkerSlot::on_end(std::size_t which, Ended ended, TimePoint now) {
  on_ended(*workers_[which], ended, now);
}

std::vector<int> WorkerSlot::process_ids() const {
  std::vector<int> pids;
  const auto add = [&](const Worker& worker) {
    if (worker.state() != State::kDown) pids.push_back(worker.pid());
  };
  add(*current_);
  for (const auto& worker : workers_) {
    if (worker.get() != current_) add(*worker);
  }
  return pids;
}

void WorkerSlot::on_time(TimePoint now) {
  if (rests_until_ && now >= *rests_until_) {
    rests_until_.reset();
    for (const auto& worker : workers_) worker->stop(now);
  }
  for (const auto& worker : workers_) fold(*worker, worker->on_time(now), now);
}

std::optional<WorkerSlot::TimePoint> WorkerSlot::next_time(TimePoint now) const {
  std::optional<TimePoint> next;
  if (!out_of_service_ && backoff_.not_before() > now) next = backoff_.not_before();
  if (rests_until_ && (!next || *rests_until_ < *next)) next = rests_until_;
  for (const auto& worker : workers_) {
    if (const auto time = worker->next_time(); time && (!next || *time < *next)) next = time;
  }
  return next;
}

}  // namespace nightshift::scheduler
