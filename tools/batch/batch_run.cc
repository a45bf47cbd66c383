#include "tools/batch/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/batch/member_observer.h"
#include "tools/evaluator_program.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/problem_source.h"
#include "tools/study/study_parts.h"
#include "tools/study/warm_start.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using scheduler::BatchRequest;
using scheduler::BatchStudyEnd;
using scheduler::BatchStudyState;
using scheduler::DeviceIndex;
using scheduler::LeaseKind;

// So many earlier studies of a problem a new size begins with, the latest ones.
constexpr std::size_t kMostEarlier = 3;

scheduler::History history_of(const BatchMember& member) {
  return scheduler::load_history(member.folder.path(), scheduler::Detail::kTrials);
}

}  // namespace

Batch::Batch(AskedBatch asked, BatchRunOptions options, BatchDoor* door)
    : name_(std::move(asked.name)),
      folder_(fs::absolute(asked.folder).lexically_normal().string()),
      options_(std::move(options)),
      door_(door),
      log_(folder_, name_, clock_),
      hooks_(asked.hooks, name_, folder_, log_),
      devices_(devices_or_earlier_nodes(), evaluator_program()),
      show_(folder_, log_, clock_) {
  log_.silent(door_ != nullptr);
  // A duration was told before the times of earlier runs were known, which this one's go on after.
  if (options_.until && !options_.until->is_of_day) {
    options_.until->at -= scheduler::clock_shift(clock_);
  }
  take_members(asked.studies);
  const auto find = [this] { find_devices(); };
  goes_on_there_ ? on_nodes_of_earlier(find) : find();
}

// --- Before it runs ---

const BatchDevices::Choice& Batch::devices_or_earlier_nodes() {
  BatchDevices::Choice& choice = options_.devices;
  goes_on_there_ = !choice.devices && choice.nodes.list.empty() && !log_.nodes().empty();
  if (goes_on_there_) choice.nodes.list = log_.nodes();
  return choice;
}

// Those of a door's problems too, of which there may be no study yet.
void Batch::find_devices() {
  const std::size_t count = members_.size();
  if (door_ != nullptr) {
    for (const scheduler::BatchStudyTerms& terms : door_->kinds()) {
      read(members_.emplace_back(terms, folder_));
      if (!members_.back().error.empty()) throw UsageError(members_.back().error);
    }
  }
  devices_.find(members_);
  for (std::size_t s = count; s < members_.size(); ++s) {
    if (!members_[s].error.empty()) throw scheduler::DeviceError(members_[s].error);
  }
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(count), members_.end());
}

void Batch::take_members(const std::vector<scheduler::BatchStudyTerms>& asked) {
  members_ = members_of(asked, folder_, log_.earlier());
  for (const BatchMember& member : members_) {
    announce_problem(member.terms.problem, member.terms.overrides);
  }
  std::set<std::string> awaited;
  if (door_ != nullptr) awaited = door_->awaited();
  for (BatchMember& member : members_) {
    read(member);
    if (door_ == nullptr || member.done || awaited.contains(member.name())) continue;
    member.error.clear();
    member.state = BatchStudyState::kCancelled;  // its answer was given
  }
  expect_own_journals(members_);
  std::vector<Request> nobody;  // it does not run yet: members alone have to know
  for (BatchRequest& request : log_.requests()) {
    Waiting waiting{std::move(request), {}, false, false};
    read_added(waiting);
    log_.answer(waiting.request, answer(waiting, nobody));
  }
}

// What is to be said of a study before it begins.
void Batch::note_beginning(BatchMember& member) {
  if (member.done) {
    const auto earlier = std::ranges::find(log_.earlier().studies, member.name(),
                                           [](const auto& study) { return study.terms.name; });
    const bool known =
        earlier != log_.earlier().studies.end() && earlier->state == BatchStudyState::kCompleted;
    if (known) {
      member.reason = earlier->reason;
      member.claim = earlier->claim;
    } else {
      take_outcome(member, history_of(member));
    }
    log_.event(member.name(), "ended", "done already");
    for (const std::string& change : changes_since_done(member)) {
      log_.event(member.name(), "notice", change);
    }
    if (!known) log_.state(member.name(), member.state, member.reason, member.claim);
    return;
  }
  if (!member.error.empty()) {
    member.reason = one_line(member.error);
    log_.event(member.name(), "ended", member.error);
    hooks_.failed(member);
  }
  log_.state(member.name(), member.state, member.reason);
  if (!member.is_due()) return;
  // What begins anew has waited for nothing yet.
  if (standing_of(member).made_up != member.made_up) log_.made_up(member.name(), 0);
  for (const std::string& note : notes_before(member)) {
    log_.event(member.name(), "notice", note);
  }
}

void Batch::run() {
  log_.begin(terms_of(members_), devices_.all(), options_.until, devices_.are_of_nodes());
  log_.nodes(kept_list(options_.devices.nodes.list));
  for (BatchMember& member : members_) note_beginning(member);
  scheduler::BatchOutcome outcome;
  if (devices_.any()) {
    const double now = clock_.unix_seconds();
    first_start_ = log_.earlier().runs.empty() ? 0 : log_.earlier().runs.front().started - now;
    std::vector<scheduler::StudyTerms> terms;
    std::vector<scheduler::StudyStanding> standings;
    for (const BatchMember& member : members_) {
      terms.push_back(plan_terms(member, members_, first_start_));
      standings.push_back(standing_of(member));
    }
    scheduler::SharedPool& pool = devices_.open_pool(folder_, hooks_);
    scheduler::BatchRunner runner({pool, *this, clock_}, std::move(terms), std::move(standings));
    runner_ = &runner;
    if (door_ == nullptr) show_.begin();
    outcome = runner.run(options_.until);
    runner_ = nullptr;
    devices_.close_pool();
  }
  for (BatchMember& member : members_) {
    if (member.state != BatchStudyState::kWaiting || outcome.interrupted) continue;
    member.reason = why_it_waits(member, members_);
    log_.state(member.name(), member.state, member.reason);
  }
  const std::string stopped = outcome.interrupted ? "a signal stopped it" : "";
  log_.end(is_unfinished() ? "interrupted" : "completed",
           outcome.lost.empty() ? stopped : outcome.lost);
  if (door_ == nullptr) show_.end();
  const std::vector<StudyResult> came_out = results();
  hooks_.ended(members_, std::ranges::count_if(came_out, &StudyResult::claimed), log_.seconds());
  if (!outcome.lost.empty()) throw scheduler::JournalError(outcome.lost);
}

// --- What others ask for ---

std::optional<std::size_t> Batch::find(const std::string& name) const {
  const auto found = std::ranges::find(members_, name, &BatchMember::name);
  if (found == members_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - members_.begin());
}

std::vector<scheduler::BatchHost::Request> Batch::requests() {
  log_.keep_up([this](std::size_t device) { return runner_->busy_seconds(device); });
  show_.look();
  for (BatchRequest& request : log_.requests()) {
    waiting_.push_back({std::move(request), {}, false, false});
  }
  if (door_ != nullptr) {
    for (BatchRequest& request : door_->requests()) {
      waiting_.push_back({std::move(request), {}, false, true});
    }
  }
  std::vector<Request> asked;
  while (!waiting_.empty() && can_answer(waiting_.front())) {
    Waiting waiting = std::move(waiting_.front());
    waiting_.pop_front();
    const std::string said = answer(waiting, asked);
    if (!waiting.of_door) log_.answer(waiting.request, said);
  }
  return asked;
}

void Batch::read_added(Waiting& waiting) const {
  waiting.is_read = true;
  for (const scheduler::BatchStudyTerms& terms : waiting.request.studies) {
    BatchMember& member = waiting.added.emplace_back(terms, folder_);
    member.terms.added = true;
    read(member);
  }
}

// In the order in which they came: one may concern a study that the one before adds.
bool Batch::can_answer(Waiting& waiting) {
  if (!waiting.is_read) read_added(waiting);
  bool have_answers = true;
  const auto look = [&](BatchMember& member) {
    devices_.ask(member);
    have_answers = have_answers && devices_.has_answer(member);
  };
  for (BatchMember& member : waiting.added) look(member);
  if (waiting.request.kind != BatchRequest::Kind::kGoOn) return have_answers;
  for (const std::string& name : waiting.request.names) {
    if (const auto study = find(name)) look(members_[*study]);
  }
  return have_answers;
}

std::string Batch::answer(Waiting& waiting, std::vector<Request>& asked) {
  const BatchRequest& request = waiting.request;
  std::string said;
  const auto say = [&said](const std::string& text) {
    if (!said.empty()) said += '\n';
    said += text;
  };
  for (BatchMember& member : waiting.added) say(add(std::move(member), asked));
  for (const std::string& name : request.names) {
    const auto study = find(name);
    if (!study) {
      say("there is no study called " + name);
      continue;
    }
    BatchMember& member = members_[*study];
    const bool is_over = !member.error.empty() || member.done ||
                         member.state == BatchStudyState::kCompleted ||
                         member.state == BatchStudyState::kFailed;
    const bool goes_on = request.kind == BatchRequest::Kind::kGoOn;
    const bool rests =
        member.state == BatchStudyState::kPaused || member.state == BatchStudyState::kCancelled;
    if (is_over) {
      say(name + " has ended already");
    } else if (goes_on != rests) {
      say(name +
          (goes_on ? " is not paused" : " is " + std::string(name_of(member.state)) + " already"));
    } else {
      say(name + " " + carry_out(request.kind, *study, asked));
    }
  }
  return said;
}

std::string Batch::carry_out(BatchRequest::Kind kind, std::size_t study,
                             std::vector<Request>& asked) {
  BatchMember& member = members_[study];
  if (kind != BatchRequest::Kind::kGoOn) {
    const bool pause = kind == BatchRequest::Kind::kPause;
    asked.push_back({pause ? Request::Kind::kPause : Request::Kind::kCancel, study, {}, {}});
    if (runner_ == nullptr) {
      member.state = pause ? BatchStudyState::kPaused : BatchStudyState::kCancelled;
    }
    return pause ? "is paused" : "is cancelled";
  }
  member.state = BatchStudyState::kWaiting;
  if (runner_ == nullptr) return "waits for its turn";
  devices_.assign(member);
  log_.state(member.name(), member.state, one_line(member.error));
  if (!member.error.empty()) return "cannot go on: " + one_line(member.error);
  asked.push_back({Request::Kind::kGoOn, study, plan_terms(member, members_, first_start_), {}});
  return "waits for its turn";
}

std::string Batch::add(BatchMember added, std::vector<Request>& asked) {
  if (find(added.name())) return "there is a study called " + added.name() + " already";
  BatchMember& member = members_.emplace_back(std::move(added));
  if (runner_ != nullptr) {
    if (member.error.empty()) devices_.assign(member);
    member.may_use.resize(devices_.all().size());
    log_.studies(terms_of(members_));
    note_beginning(member);
    Request request;
    request.study = members_.size() - 1;
    request.terms = plan_terms(member, members_, first_start_);
    request.standing = standing_of(member);
    asked.push_back(std::move(request));
  }
  if (door_ != nullptr) door_->added(member);
  if (!member.error.empty()) return member.name() + ": " + one_line(member.error);
  return member.name() + " waits for its turn";
}

// --- Of the runner ---

// Its first configurations are the best ones of the others.
void Batch::start_from_other_sizes(BatchMember& member) const {
  if (!member.terms.warm_start || scheduler::holds_study(member.folder.path())) return;
  std::vector<std::string> folders;
  for (const BatchMember& other : members_) {
    if (&other == &member || other.terms.problem != member.terms.problem) continue;
    if (other.state == BatchStudyState::kCompleted) folders.push_back(other.folder.path());
  }
  folders = that_fit(folders, *member.problem.problem, kMostEarlier);
  if (folders.empty()) return;
  member.terms.overrides.emplace_back("search.warm_start", nlohmann::json(folders).dump());
  read(member);
}

std::unique_ptr<scheduler::ActiveStudy> Batch::begin(std::size_t study,
                                                     scheduler::SharedPool& pool) {
  BatchMember& member = members_[study];
  start_from_other_sizes(member);
  if (door_ != nullptr && !scheduler::holds_study(member.folder.path())) {
    door_->begins(member);
    log_.studies(terms_of(members_));  // so that it goes on as it began
  }
  member.how.run.nodes = options_.devices.nodes;
  return std::make_unique<BatchStudy>(BatchStudy::Parts{
      member.terms.overrides, member.problem, member.how, options_.devices.devices.value_or("all"),
      member.folder, pool, clock_, std::make_unique<MemberObserver>(log_, member.name()),
      options_.stop_times, door_ == nullptr ? static_cast<int>(members_.size()) : 1,
      options_.keeps_processes});
}

void Batch::began(std::size_t study, const std::vector<DeviceIndex>& devices) {
  BatchMember& member = members_[study];
  member.state = BatchStudyState::kRunning;
  log_.state(member.name(), member.state, "");
  std::string text = devices.empty() ? "builds ahead" : "begins on";
  for (const DeviceIndex d : devices) {
    text += " " + log_.device_name(devices_.all()[d]);
    log_.lease(member.name(), log_.device_name(devices_.all()[d]), LeaseKind::kOwner);
  }
  log_.event(member.name(), "begun", text);
}

void Batch::lent(std::size_t study, DeviceIndex device, bool guest) {
  const std::string& name = members_[study].name();
  log_.lease(name, log_.device_name(devices_.all()[device]),
             guest ? LeaseKind::kGuest : LeaseKind::kOwner);
  if (!guest) log_.event(name, "lent", "also has " + log_.device_name(devices_.all()[device]));
}

void Batch::taken_back(std::size_t study, DeviceIndex device) {
  log_.lease(members_[study].name(), log_.device_name(devices_.all()[device]), LeaseKind::kNone);
}

void Batch::ended(std::size_t study, const BatchStudyEnd& how) {
  BatchMember& member = members_[study];
  member.state = door_ != nullptr && how.is_alone ? BatchStudyState::kFailed : state_of(how.kind);
  member.reason = one_line(how.reason);
  log_.event(member.name(), "ended", how.reason);
  std::optional<scheduler::History> history;
  try {
    if (scheduler::holds_study(member.folder.path()) && member.problem.problem) {
      history = history_of(member);
      if (door_ == nullptr) keep_outcome(member.folder, *history, *member.problem.problem);
      if (member.state == BatchStudyState::kCompleted) take_outcome(member, *history);
    }
  } catch (const scheduler::JournalError&) {
    // Said already: it is why the study ended.
  }
  log_.state(member.name(), member.state, member.reason, member.claim);
  if (door_ != nullptr) door_->ended(member, history ? &*history : nullptr);
  if (member.state == BatchStudyState::kFailed || member.state == BatchStudyState::kNotBegun) {
    hooks_.failed(member);
  } else if (member.claim) {
    hooks_.improved(member);
  }
}

std::vector<bool> Batch::joined(DeviceIndex device) {
  std::vector<bool> users = devices_.joined(device, members_);
  log_.joined(devices_.all()[device]);
  return users;
}

void Batch::notice(const std::string& text) { log_.event("", "notice", text); }

}  // namespace nightshift::tools
