#include "scheduler/pool/worker.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/quantity.h"
#include "ipc/process_table.h"
#include "ipc/trial_exit.h"
#include "scheduler/pool/worker_reply.h"
#include "scheduler/seconds.h"
#include "search/phase_limit.h"

namespace nightshift::scheduler {

using search::Phase;

namespace {

constexpr const char* kDoubted =
    "it was asked whether the time of its samples is that of its work, and did not answer";

}  // namespace

Worker::Worker(const WorkerSetup& setup, ipc::Poller& poller, std::uint64_t number)
    : setup_(&setup), poller_(poller), number_(number) {}

Worker::~Worker() {
  if (state_ != State::kDown) close();
}

void Worker::boot(const Placement& placement, TimePoint now) {
  if (state_ != State::kDown) std::abort();
  LaunchedWorker launched = launch_worker(*setup_, placement);
  placement_ = placement;
  mailbox_ = std::move(launched.mailbox);
  child_ = std::move(launched.child);
  scratch_ = std::move(launched.scratch);
  state_ = State::kBoot;
  phase_changes_ = 0;
  served_ = 0;
  was_idle_ = false;
  changed_hands_ = false;
  killed_ = false;
  held_by_others_ = false;
  on_request_ = false;
  trusted_ = true;
  verdict_.reset();
  how_.clear();
  try {
    listen();
  } catch (...) {
    close();
    throw;
  }
  watch_.start(Phase::kBoot, setup_->problem->limits.boot, {}, 0, now);
}

void Worker::listen() {
  poller_.add(mailbox_->doorbell_fd(), 2 * number_);
  poller_.add(child_.pidfd(), 2 * number_ + 1);
}

void Worker::change_hands(const WorkerSetup& setup, std::uint64_t number, TimePoint now) {
  if (!may_change_hands()) std::abort();
  setup_ = &setup;
  number_ = number;
  poller_.remove(mailbox_->doorbell_fd());
  poller_.remove(child_.pidfd());
  listen();
  child_.forget_output();
  changed_hands_ = state_ == State::kConfigure;
  if (state_ == State::kIdle) configure_anew(now);
}

void Worker::configure_anew(TimePoint now) {
  const ipc::Progress progress = mailbox_->progress();
  phase_changes_ = progress.phase_changes;
  configure(progress, now);
}

namespace {

PhaseWatch::Whole whole_of(const Job& job, const search::Limits& limits) {
  if (job.builds()) return {.work = limits.build, .left = job.build().patience};
  const double patience = job.evaluation().patience;
  return {.work = patience > 0 ? std::min(patience, limits.trial) : limits.trial,
          .trial = limits.trial,
          .left = job.evaluation().left};
}

}  // namespace

bool Worker::post(const Job& job, TimePoint now) {
  if (state_ != State::kIdle) std::abort();
  const ipc::Progress progress = mailbox_->progress();
  const search::Limits& limits = setup_->problem->limits;
  child_.forget_output();
  const auto kind = job.builds() ? ipc::MessageKind::kBuild : ipc::MessageKind::kEvaluate;
  const auto payload = std::visit([](const auto& r) { return ipc::encode(r); }, job.request);
  if (!mailbox_->post(static_cast<std::uint32_t>(kind), job.trial.value, job.attempt, payload)) {
    return false;
  }
  state_ = State::kBusy;
  ++served_;
  phase_changes_ = progress.phase_changes;
  job_ = JobInHand{kind, job.trial, progress.phase_changes};
  const Phase first = job.builds() ? Phase::kBuild : Phase::kLoad;
  watch_.start(first, limit_of(first, limits), whole_of(job, limits), progress.beat, now);
  look_at_ = now + seconds(kLookEvery);
  unannounced_ = false;
  mute_ = false;
  return true;
}

void Worker::stop(TimePoint now) {
  if (state_ == State::kStopping) return;
  if (state_ != State::kIdle) return kill(now);
  if (!mailbox_->post(static_cast<std::uint32_t>(ipc::MessageKind::kStop), 0, 0, {})) std::abort();
  on_request_ = true;
  state_ = State::kStopping;
  watch_.start(Phase::kShutdown, kStopGrace, {}, 0, now);
}

void Worker::kill(TimePoint now) {
  if (state_ == State::kDown || state_ == State::kDying) return;
  on_request_ = true;
  condemn(std::nullopt, "stopped", now);
}

void Worker::pin_to_cores(const std::vector<int>& cores) {
  (void)move_to_cores(child_.pid(), cores);
}

// Rings of a condemned child are no longer listened to; its last word is looked at after its death.
void Worker::condemn(std::optional<search::TrialOutcome> verdict, std::string why, TimePoint now) {
  verdict_ = std::move(verdict);
  how_ = std::move(why);
  killed_ = true;
  poller_.remove(mailbox_->doorbell_fd());
  child_.kill_group();
  state_ = State::kDying;
  watch_.start(Phase::kShutdown, kStuckAfter, {}, 0, now);
}

void Worker::corrupt(const std::string& why, TimePoint now) {
  trusted_ = false;
  std::optional<search::TrialOutcome> verdict;
  if (job_) verdict = corrupt_reply(why);
  condemn(std::move(verdict), "corrupt reply: " + why, now);
}

WorkerNews Worker::on_ring(TimePoint now) {
  unannounced_ = false;
  mute_ = false;  // it was only late
  return read_mailbox(now);
}

WorkerNews Worker::read_mailbox(TimePoint now) {
  if (state_ == State::kDown || state_ == State::kDying) return {};
  const ipc::ParentMailbox::Taken taken = mailbox_->take();
  if (state_ == State::kStopping) return {};
  if (const auto* record = std::get_if<ipc::Record>(&taken)) return on_record(*record, now);
  if (const auto* bad = std::get_if<ipc::ParentMailbox::Corrupt>(&taken)) {
    corrupt(bad->why, now);
  } else {
    on_progress(now);
  }
  return {};
}

WorkerNews Worker::on_record(const ipc::Record& record, TimePoint now) {
  try {
    if (state_ == State::kConfigure) {
      const std::string error = read_configured(record);
      watch_.stop();
      if (std::exchange(changed_hands_, false)) {
        configure_anew(now);
        return {};
      }
      state_ = State::kIdle;
      if (!error.empty()) return Refused{error};
      was_idle_ = true;
      return BecameIdle{};
    }
    Reply reply = read_reply(record, job_->kind);
    watch_.stop();
    state_ = State::kIdle;
    job_.reset();
    if (mute_) condemn(std::nullopt, "its replies come without a ring", now);
    return Answered{std::move(reply)};
  } catch (const ipc::DecodeError& e) {
    corrupt(e.what(), now);
    return {};
  }
}

void Worker::on_progress(TimePoint now) {
  const ipc::Progress progress = mailbox_->progress();
  if (progress.phase_changes == phase_changes_) return;
  phase_changes_ = progress.phase_changes;
  if (state_ == State::kBoot && progress.phase == Phase::kReady) {
    configure(progress, now);
  } else if (state_ == State::kBusy && job_->kind == ipc::MessageKind::kEvaluate) {
    watch_.next_phase(phase(), limit_of(phase(), setup_->problem->limits), progress.beat, now);
  }
}

void Worker::configure(const ipc::Progress& progress, TimePoint now) {
  const auto payload = configure_payload(*setup_, placement_, scratch_);
  if (!mailbox_->post(static_cast<std::uint32_t>(ipc::MessageKind::kConfigure), 0, 0, payload)) {
    return condemn(std::nullopt, "the problem does not fit into the mailbox", now);
  }
  state_ = State::kConfigure;
  watch_.start(Phase::kConfigure, search::configure_limit(*setup_->problem), {}, progress.beat,
               now);
}

std::optional<Worker::TimePoint> Worker::next_time() const {
  const std::optional<TimePoint> limit = watch_.next();
  return state_ == State::kBusy && limit ? std::min(look_at_, *limit) : limit;
}

WorkerNews Worker::on_time(TimePoint now) {
  if (state_ == State::kBusy && now >= look_at_) {
    WorkerNews news = on_look(now);
    if (!std::holds_alternative<std::monostate>(news)) return news;
  }
  if (!watch_.next() || now < *watch_.next()) return {};
  if (state_ == State::kBusy) watch_.starved().look(ipc::core_times_of_tree(child_.pid()), now);
  const auto expired = watch_.check(mailbox_->progress().beat, now);
  if (!expired) return {};
  return on_expired(*expired, now);
}

// A child writes first and rings then, so one look may come between the two.
WorkerNews Worker::on_look(TimePoint now) {
  StarvedTime& starved = watch_.starved();
  starved.woke(look_at_, now);
  if (starved.wants_look(now)) starved.look(ipc::core_times_of_tree(child_.pid()), now);
  look_at_ = now + seconds(kLookEvery);
  const bool found =
      mailbox_->reply_pending() || mailbox_->progress().phase_changes != phase_changes_;
  mute_ = mute_ || (found && unannounced_);
  unannounced_ = found;
  return found && mute_ ? read_mailbox(now) : WorkerNews{};
}

WorkerNews Worker::on_expired(const PhaseWatch::Expired& expired, TimePoint now) {
  if (state_ == State::kDying) {
    std::optional<search::TrialOutcome> outcome;
    if (std::exchange(job_, std::nullopt)) {
      outcome = verdict_ ? std::move(*verdict_) : search::TrialOutcome(search::DeviceLost{how_});
    }
    return Stuck{how_ + "; process " + std::to_string(child_.pid()) + " hangs in the kernel",
                 std::move(outcome)};
  }
  if (state_ == State::kStopping) {
    kill(now);
    return {};
  }
  // A ring may have come with the deadline; what it brings goes before.
  WorkerNews news = read_mailbox(now);
  if (state_ == State::kDying || watch_.next() || !std::holds_alternative<std::monostate>(news)) {
    return news;
  }
  std::optional<search::TrialOutcome> verdict;
  if (job_) {
    search::TimedOut late{expired.phase, expired.limit_seconds, expired.progressing};
    if (job_->kind == ipc::MessageKind::kEvaluate) {
      late.message = expired.is_doubt ? kDoubted : mailbox_->note();
    } else {
      const std::string_view held = ipc::held_by(child_.pid());
      // Whoever works is in the kernel now and then.
      held_by_others_ = !held.empty() && !(late.progressing && held == ipc::kWaitsInTheKernel);
      if (held_by_others_) late.message = "the builder was " + std::string(held);
    }
    verdict = std::move(late);
  }
  condemn(std::move(verdict),
          std::string("no end of phase ") + std::string(search::name_of(expired.phase)) +
              " within " + base::rounded_seconds(expired.limit_seconds) + " s",
          now);
  return {};
}

WorkerNews Worker::on_exit(TimePoint) {
  if (state_ == State::kDown || !child_.dead()) return {};
  child_.kill_group();  // nobody is left to write while the mailbox is looked at
  Ended ended;
  ended.while_starting = !was_idle_;
  ended.on_request = on_request_;
  if (job_) {
    ended.reply = final_reply();
    ended.job_blameless = job_blameless();
  }
  const std::string words = last_words(child_);
  const ipc::ExitReport report = *child_.reap();
  const auto* signal = std::get_if<ipc::Killed>(&report);
  ended.killed_by_others =
      held_by_others_ || (!killed_ && signal != nullptr && signal->signal == SIGKILL);
  ended.how =
      killed_ ? how_ : ipc::describe(report) + " in phase " + std::string(search::name_of(phase()));
  if (!words.empty()) ended.how += "; its last words: " + words;
  if (job_ && !ended.reply) ended.outcome = verdict_ ? std::move(*verdict_) : crash(report, words);
  ended.scratch = std::move(scratch_);
  close();
  return ended;
}

std::optional<Reply> Worker::final_reply() {
  if (!trusted_) return std::nullopt;
  const ipc::ParentMailbox::Taken taken = mailbox_->take();
  if (const auto* bad = std::get_if<ipc::ParentMailbox::Corrupt>(&taken)) {
    trusted_ = false;
    if (!verdict_) verdict_ = corrupt_reply(bad->why);
    return std::nullopt;
  }
  const auto* record = std::get_if<ipc::Record>(&taken);
  if (record == nullptr) return std::nullopt;
  try {
    return read_reply(*record, job_->kind);
  } catch (const ipc::DecodeError& e) {
    trusted_ = false;
    if (!verdict_) verdict_ = corrupt_reply(e.what());
    return std::nullopt;
  }
}

// A process that served other trials before may go down over one of them when the next request lies
// in its mailbox already, or a late second reply of theirs may lie there. The breadcrumb names a
// trial only once its request was taken.
bool Worker::job_blameless() const {
  return served_ > 1 && (!trusted_ || mailbox_->progress().trial != job_->trial.value);
}

search::TrialOutcome Worker::crash(const ipc::ExitReport& report, const std::string& words) const {
  return ipc::crashed(report, phase(), words);
}

search::TrialOutcome Worker::corrupt_reply(const std::string& why) const {
  std::string words = why + "\n" + last_words(child_);
  if (words.size() > kLastWords) words.resize(kLastWords);
  return search::Crashed{search::Crashed::Cause::kCorruptReply, 0, phase(), std::move(words)};
}

// A child that has not marked a phase since it was given its job is in the job's first.
Phase Worker::phase() const {
  const ipc::Progress progress = mailbox_->progress();
  if (!job_) return progress.phase;
  const bool begun = progress.phase_changes != job_->phase_changes &&
                     progress.phase >= Phase::kBuild && progress.phase <= Phase::kReply;
  if (begun) return progress.phase;
  return job_->kind == ipc::MessageKind::kBuild ? Phase::kBuild : Phase::kLoad;
}

void Worker::close() noexcept {
  if (state_ != State::kDying) poller_.remove(mailbox_->doorbell_fd());
  poller_.remove(child_.pidfd());
  child_ = ipc::ChildProcess();
  mailbox_.reset();
  job_.reset();
  watch_.stop();
  state_ = State::kDown;
}

}  // namespace nightshift::scheduler
