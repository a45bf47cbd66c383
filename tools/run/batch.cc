#include "tools/run/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <tuple>
#include <utility>

#include "kernels/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/errors.h"
#include "scheduler/forked_shared_pool.h"
#include "scheduler/summary/summary.h"
#include "search/statistics/multiplicity.h"
#include "tools/report/summary_text.h"
#include "tools/run/journaled_problem.h"
#include "tools/run/pool_parts.h"
#include "tools/run/study_parts.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using scheduler::BatchStudyEnd;
using scheduler::DeviceIndex;

// What a batch says of a study while it runs: what was accepted, and what went wrong.
class BatchProgress final : public scheduler::TuningObserver {
 public:
  using Say = std::function<void(const std::string&)>;
  explicit BatchProgress(Say say) : say_(std::move(say)) {}

  void verdict_reached(const scheduler::ConfirmationSetup& setup,
                       const scheduler::ConfirmationVerdict& verdict,
                       const scheduler::StudyStatus&) override {
    const double less = 100 * (1 - verdict.verdict.ratio);
    if (setup.purpose == scheduler::Purpose::kHoldOut) {
      say_(fmt::format("hold-out of trial {}: {}", setup.candidate.value,
                       search::reason_of(verdict.verdict.acceptance)));
    } else if (setup.purpose == scheduler::Purpose::kDuel && search::is_accepted(verdict.verdict)) {
      say_(fmt::format("trial {} accepted: {:.2f} % better than before", setup.candidate.value,
                       less));
    }
  }
  void remark(const std::string& text, const scheduler::StudyStatus&) override { say_(text); }

 private:
  Say say_;
};

bool same_settings(const search::DeviceSettings& a, const search::DeviceSettings& b) {
  const auto all = [](const search::DeviceSettings& s) {
    return std::tuple(s.clock_mhz, s.mem_clock_mhz, s.power_watts, s.strict);
  };
  return all(a) == all(b);
}

ipc::FileLock take_lock(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  auto taken = ipc::FileLock::take(folder + "/batch.lock", {.text = ipc::this_process()});
  if (auto* lock = std::get_if<ipc::FileLock>(&taken)) return std::move(*lock);
  const auto& refused = std::get<ipc::FileLock::Refused>(taken);
  if (refused.obstacle == ipc::FileLock::Obstacle::kHeld) {
    throw scheduler::JournalError("the batch in " + folder + " is running already, as process " +
                                  refused.text);
  }
  throw scheduler::JournalError("the batch's folder " + folder + " cannot be written (" +
                                std::string(std::strerror(refused.error)) +
                                "); name another with --batch");
}

}  // namespace

Batch::Batch(kernels::BatchFile file, const std::string& folder, BatchRunOptions options)
    : file_(std::move(file)),
      folder_(fs::absolute(folder).lexically_normal().string()),
      options_(std::move(options)),
      evaluator_(evaluator_program()),
      lock_(take_lock(folder_)) {
  read_problems();
  find_devices(options_.devices);
}

// Those that are done are read too, for what they say at the end.
void Batch::read_problems() {
  for (const kernels::BatchEntry& entry : file_.studies) {
    Member member{{}, StudyFolder(folder_ + "/" + entry.name), {}, {}, false};
    try {
      if (scheduler::holds_study(member.folder.path())) {
        const auto history =
            scheduler::load_history(member.folder.path(), scheduler::Detail::kTrials);
        member.done = history.status == "completed";
        member.problem.problem = std::make_shared<search::Problem>(problem_of(history));
      } else {
        member.problem.problem = std::make_shared<search::Problem>(
            kernels::read_problem(entry.problem, entry.overrides, &member.problem.text));
      }
    } catch (const std::exception& error) {
      member.error = error.what();
    }
    members_.push_back(std::move(member));
  }
}

void Batch::find_devices(const std::string& selection) {
  std::vector<std::vector<std::string>> its(members_.size());
  const search::Problem* first = nullptr;
  const search::Problem* on_gpu = nullptr;  // the first of those: it says what clocks are held
  for (std::size_t s = 0; s < members_.size(); ++s) {
    Member& member = members_[s];
    if (member.done || !member.error.empty()) continue;
    const search::Problem& problem = *member.problem.problem;
    const bool on_gpus = search::is_on_gpus(problem);
    if (on_gpus && on_gpu != nullptr && !same_settings(problem.device, on_gpu->device)) {
      member.error = "its [device] settings differ from those of " + on_gpu->name +
                     ", and a batch holds its GPUs at one: put it into another batch";
      continue;
    }
    try {
      for (scheduler::Device& device :
           scheduler::devices_for(*member.problem.problem, selection, evaluator_)) {
        its[s].push_back(device.uuid);
        const bool known = std::ranges::any_of(
            devices_, [&](const scheduler::Device& d) { return d.uuid == device.uuid; });
        if (!known) devices_.push_back(std::move(device));
      }
      if (first == nullptr) first = &problem;
      if (on_gpus && on_gpu == nullptr) on_gpu = &problem;
    } catch (const scheduler::DeviceError& error) {
      member.error = error.what();
    }
  }
  for (std::size_t s = 0; s < members_.size(); ++s) {
    for (const scheduler::Device& device : devices_) {
      members_[s].may_use.push_back(std::ranges::find(its[s], device.uuid) != its[s].end());
    }
  }
  if (first != nullptr) hold_.emplace(on_gpu != nullptr ? *on_gpu : *first, devices_, evaluator_);
}

void Batch::say(const std::string& study, const std::string& text) const {
  const double seconds = scheduler::SystemClock{}.unix_seconds() - began_;
  print_page(fmt::format("[{:.0f} s] {}: {}\n", seconds, study, one_line(text)));
}

scheduler::StudyTerms Batch::terms_of(std::size_t study) const {
  const kernels::BatchEntry& entry = file_.studies[study];
  scheduler::StudyTerms terms;
  terms.weight = entry.weight;
  terms.devices_least = entry.devices_least;
  terms.devices_most = entry.devices_most;
  terms.may_use = members_[study].may_use;
  if (members_[study].problem.problem) {
    terms.budget_seconds = members_[study].problem.problem->budget.seconds;
  }
  for (const std::string& name : entry.after) {
    const auto other = std::ranges::find(file_.studies, name, &kernels::BatchEntry::name);
    terms.after.push_back(static_cast<std::size_t>(other - file_.studies.begin()));
  }
  return terms;
}

bool Batch::run() {
  const scheduler::SystemClock clock;
  began_ = clock.unix_seconds();
  std::vector<scheduler::StudyTerms> terms;
  std::vector<bool> ended;
  for (std::size_t s = 0; s < members_.size(); ++s) {
    terms.push_back(terms_of(s));
    ended.push_back(members_[s].done || !members_[s].error.empty());
    if (!members_[s].error.empty()) say(file_.studies[s].name, members_[s].error);
    if (members_[s].done) say(file_.studies[s].name, "done already");
    if (ended.back()) continue;
    for (const std::string& note : members_[s].problem.problem->notes) {
      say(file_.studies[s].name, note);
    }
  }
  if (std::ranges::all_of(ended, std::identity())) return false;
  const std::string scratch = folder_ + "/scratch";
  fs::create_directories(scratch);
  scheduler::ForkedPoolOptions options = shared_pool_options(devices_, scratch, evaluator_);
  hold_->tell(options);
  scheduler::ForkedSharedPool pool(devices_, std::move(options));
  scheduler::BatchRunner runner({pool, *this, clock}, std::move(terms), std::move(ended));
  return runner.run(options_.until).interrupted;
}

// --- Of the runner ---

std::unique_ptr<scheduler::ActiveStudy> Batch::begin(std::size_t study,
                                                     scheduler::SharedPool& pool) {
  static const scheduler::SystemClock clock;
  const std::string& name = file_.studies[study].name;
  auto observer =
      std::make_unique<BatchProgress>([this, name](const std::string& text) { say(name, text); });
  return std::make_unique<BatchStudy>(
      BatchStudy::Parts{file_.studies[study], members_[study].problem, members_[study].folder, pool,
                        clock, std::move(observer), options_.stop_times});
}

void Batch::began(std::size_t study, const std::vector<DeviceIndex>& devices) {
  std::string text = "begins on";
  for (const DeviceIndex d : devices) text += " " + devices_[d].uuid;
  say(file_.studies[study].name, text);
}

void Batch::lent(std::size_t study, DeviceIndex device) {
  say(file_.studies[study].name, "also has " + devices_[device].uuid);
}

void Batch::ended(std::size_t study, const BatchStudyEnd& how) {
  if (how.kind == BatchStudyEnd::Kind::kFailed || how.kind == BatchStudyEnd::Kind::kNotBegun) {
    members_[study].error = how.reason;
  }
  const Member& member = members_[study];
  say(file_.studies[study].name, how.reason);
  if (!scheduler::holds_study(member.folder.path())) return;
  try {
    keep_report(member.folder,
                scheduler::load_history(member.folder.path(), scheduler::Detail::kTrials),
                *member.problem.problem);
  } catch (const scheduler::JournalError&) {
    // Said already: it is why the study ended.
  }
}

void Batch::notice(const std::string& text) { say(file_.name, text); }

// --- What came out ---

std::vector<Batch::StudyResult> Batch::results() const {
  std::vector<StudyResult> results;
  double level = 1;
  for (std::size_t s = 0; s < members_.size(); ++s) {
    const Member& member = members_[s];
    StudyResult result;
    result.name = file_.studies[s].name;
    result.folder = member.folder.shown();
    if (!scheduler::holds_study(member.folder.path()) || !member.problem.problem) {
      result.status = member.error.empty() ? "waiting" : "not begun";
      result.reason = member.error.substr(0, member.error.find('\n'));
      results.push_back(std::move(result));
      continue;
    }
    const auto history = scheduler::load_history(member.folder.path(), scheduler::Detail::kTrials);
    const auto summary = scheduler::summarise(history, *member.problem.problem);
    result.status = summary.status;
    result.reason = headline_text(summary, *member.problem.problem);
    if (summary.accepted) {
      result.ratio = summary.ratio;
      result.interval = summary.ratio_interval;
      result.p_value = summary.p_value;
    }
    level = std::min(level, member.problem.problem->acceptance.level);
    results.push_back(std::move(result));
  }
  claim_jointly(results, level);
  return results;
}

void Batch::claim_jointly(std::vector<StudyResult>& results, double level) {
  std::vector<double> p;
  for (const StudyResult& result : results) p.push_back(result.ratio ? result.p_value : 1);
  const std::vector<double> adjusted = search::holm(p);
  for (std::size_t s = 0; s < results.size(); ++s) {
    results[s].claimed = results[s].ratio && adjusted[s] <= level;
  }
}

}  // namespace nightshift::tools
