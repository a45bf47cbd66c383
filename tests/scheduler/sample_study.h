#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "ipc/trial_text.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"
#include "search/problem.h"

// A small study with a bit of everything, for tests of what is written and read.
namespace nightshift::tests {

// A folder of its own, removed at the end; in memory where that exists, since a study waits for its
// disk several times. Not named after the project: tests that run beside look there for what its
// processes left behind.
class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> count = 0;
    const bool memory = access("/dev/shm", W_OK) == 0;
    path_ = (memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
            fmt::format("study-test-{}-{}", getpid(), ++count);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline search::Problem sample_problem() {
  search::Problem problem;
  problem.name = "sample";
  search::Parameter tile;
  tile.name = "tile";
  tile.values = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}};
  search::Parameter mode;
  mode.name = "mode";
  mode.type = search::ParameterType::kString;
  mode.values = {std::string("fast"), std::string("it's \"quoted\"")};
  problem.parameters = {tile, mode};
  problem.constraints = {search::Expression::parse("tile <= 4")};
  problem.objectives = {{"time", "ms", search::Direction::kMinimise},
                        {"rate", "GB/s", search::Direction::kMaximise}};
  problem.objectives[0].weight = 2;
  problem.objectives[0].role = search::Role::kTime;
  problem.objectives[0].at_most = 12.5;
  problem.objectives[1].at_least = 0.25;
  return problem;
}

inline scheduler::StudyHeader sample_header() {
  scheduler::StudyHeader header;
  header.problem_name = "sample";
  header.problem_file = "/tmp/it's here/problem.toml";
  header.problem_text = "name = \"sample\"\n# caf\u00e9\n";
  header.overrides = {{"seed", "7"}, {"set", "budget.trials=\"3\""}};
  header.device_selection = "all";
  header.environment = {{"cpu", "a model"}, {"os", "an os"}, {"compiler", ""}};
  header.created = 1e9;
  return header;
}

inline search::TrialOutcome sample_outcome(std::uint64_t kind) {
  switch (kind % 8) {
    case 0:
      return search::Measured{
          {{{"time", {1.5, 0.1 + 0.2, 1e-300}}, {"rate", {3, 4, 5.25}}}, {{"cores", "1"}}}};
    case 1:
      return search::BuildFailed{"x.cc:3: error: 'y'\n\twas not declared"};
    case 2:
      return search::LaunchFailed{"too many resources"};
    case 3:
      return search::WrongResult{"out", 17, 1.25, 1.5, 0.25, 1e-5};
    case 4:
      return search::TimedOut{search::Phase::kMeasure, 2.5, true};
    case 5:
      return search::Crashed{search::Crashed::Cause::kSignal, 11, search::Phase::kVerify,
                             "last \"words\"\n"};
    case 6:
      return search::DeviceLost{"it is gone"};
    default:
      return search::Skipped{{3}};
  }
}

inline scheduler::ProposedTrial sample_proposal(std::uint64_t id) {
  scheduler::ProposedTrial trial;
  trial.id = {id};
  if (id == 1) {
    trial.job = search::JobKind::kBaseline;
    trial.device = "node/cpu:1";
    return trial;
  }
  trial.index = search::ConfigurationIndex{id * 3};
  trial.configuration = search::Configuration({{"tile", static_cast<std::int64_t>(id)},
                                               {"mode", std::string("it's \"quoted\"")},
                                               {"share", 0.1 * static_cast<double>(id)},
                                               {"on", id % 2 == 0}});
  if (id % 5 == 0) {
    trial.job = search::JobKind::kConfirm;
    trial.device = "node/cpu:1";
    trial.confirmation = {id / 5};
    trial.candidate = {2};
    trial.round = 3;
    trial.arm = scheduler::Arm::kCandidate;
  }
  return trial;
}

inline scheduler::FinishedTrial sample_result(std::uint64_t id) {
  scheduler::FinishedTrial result;
  result.id = {id};
  result.report = {sample_outcome(id - 1), {0.5, 0.25, 1.0 / 3, static_cast<double>(id)}};
  result.attempts = id % 3 == 0 ? 2 : 1;
  result.device = "node/cpu:1";
  if (id % 2 == 0) result.artifact = fmt::format("{:032x}", id);
  if (std::holds_alternative<search::Measured>(result.report.outcome)) {
    result.value = 1.5;
    result.normalised = search::Score{1 / 1.1, 0.003};
  }
  result.started = 1e9 + static_cast<double>(id);
  result.finished = result.started + 0.5;
  return result;
}

inline scheduler::ConfirmationSetup sample_setup(std::uint64_t id) {
  scheduler::ConfirmationSetup setup;
  setup.id = {id};
  setup.purpose = static_cast<scheduler::Purpose>(id % 5);
  setup.candidate = {2};
  if (id % 3 == 0) setup.opponent = {4};
  setup.devices = {"node/cpu:1", "it's \"another\"/cpu:2"};
  setup.pairs = static_cast<int>(id % 7);
  setup.level = 0.01 / static_cast<double>(id);
  return setup;
}

inline search::Acceptance sample_acceptance(std::uint64_t id) {
  if (id % 3 == 0) return search::Undecided{"who knows"};
  if (id % 2 == 0) return search::Reject{"it is not"};
  return search::Accept{"it is better"};
}

inline search::Verdict sample_verdict(std::uint64_t id) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  search::Verdict verdict;
  verdict.acceptance = sample_acceptance(id);
  verdict.ratio = 0.9;
  verdict.interval = {0.85, 0.95};
  verdict.p_value = 0.001;
  if (id % 3 == 0) return verdict;  // nothing was measured for it
  verdict.looks = {{8, 0.1, kInfinity, 1, 0.000625}, {16, 0.1 + 0.2, 1.0 / 3, 0.001, 0.0007}};
  verdict.devices = {{"node/cpu:1", 8, 1, 0.1, 0.02}, {"it's \"another\"/cpu:2", 8, 0, 1e-9, 0.03}};
  verdict.heterogeneity = {0.004, 0.05, {-0.1, 0.3}, true};
  verdict.shape = "better but wider: p95 is 4 % worse";
  return verdict;
}

// Opens the confirmation that the trial is an evaluation of, proposes, notes and finishes the
// trial, concludes the confirmation; now and then a remark.
inline void write_sample_trial(scheduler::Journal& journal, std::uint64_t id) {
  const double at = 1e9 + static_cast<double>(id);
  const scheduler::ProposedTrial trial = sample_proposal(id);
  if (trial.confirmation.value != 0) journal.open(sample_setup(trial.confirmation.value), at);
  journal.propose(trial, at);
  journal.note(trial.id, scheduler::TrialState::kRunning, 1, "node/cpu:1", "detail", at + 0.125);
  journal.finish(sample_result(id));
  if (trial.confirmation.value != 0) {
    journal.verdict({trial.confirmation, trial.candidate, sample_verdict(id)}, at + 0.25);
  }
  if (id % 7 == 0) journal.remark("retry", fmt::format("trial {}", id), at);
}

// --- Texts that are equal where the values are ---

inline std::string text_of(const scheduler::ProposedTrial& t) {
  return fmt::format("{} {} {} {} [{}] {} {} {} {}", t.id.value, search::name_of(t.job),
                     t.index ? base::to_string(t.index->value) : "none", t.configuration.to_json(),
                     t.device, t.confirmation.value, t.candidate.value, t.round,
                     scheduler::name_of(t.arm));
}

inline std::string text_of(const scheduler::FinishedTrial& t) {
  const search::TrialCost& c = t.report.cost;
  return fmt::format("{} {} {} {} {} {} {} [{}] [{}] {} {} {} {} {}", t.id.value,
                     ipc::to_json(t.report.outcome), c.build, c.check, c.measure, c.simulated,
                     t.attempts, t.device, t.artifact, t.value.value_or(-1),
                     t.normalised ? t.normalised->value : -1,
                     t.normalised ? t.normalised->standard_error : -1, t.started, t.finished);
}

inline std::string evidence_of(const search::Verdict& v) {
  std::string text;
  for (const search::Look& l : v.looks) {
    text += fmt::format("look {} {} {} {} {};", l.pairs, l.effect, l.standard_error, l.p_value,
                        l.level);
  }
  for (const search::DeviceEffect& d : v.devices) {
    text += fmt::format("device {} {} {} {} {};", d.device, d.pairs, d.voided, d.effect,
                        d.standard_error);
  }
  const search::Heterogeneity& h = v.heterogeneity;
  return text + fmt::format("{} {} {} {} {} {}", h.p_value, h.tau, h.prediction.low,
                            h.prediction.high, h.depends, v.shape);
}

inline std::string text_of(const scheduler::ConfirmationVerdict& v) {
  return fmt::format("{} {} {} [{}] {} {} {} {} {}", v.id.value, v.candidate.value,
                     search::name_of(v.verdict.acceptance), search::reason_of(v.verdict.acceptance),
                     v.verdict.ratio, v.verdict.interval.low, v.verdict.interval.high,
                     v.verdict.p_value, evidence_of(v.verdict));
}

inline std::string text_of(const scheduler::ConfirmationSetup& s) {
  return fmt::format("{} {} {} {} [{}] {} {}", s.id.value, scheduler::name_of(s.purpose),
                     s.candidate.value, s.opponent.value, fmt::join(s.devices, "] ["), s.pairs,
                     s.level);
}

inline std::string text_of(const scheduler::StudyHeader& h) {
  std::string text = fmt::format("{}|{}|{}|{}|{}", h.problem_name, h.problem_file, h.problem_text,
                                 h.device_selection, h.created);
  for (const auto& [name, value] : h.overrides) text += fmt::format("|{}={}", name, value);
  for (const auto& [name, value] : h.environment) text += fmt::format("|{}={}", name, value);
  return text;
}

// One line per event, in order.
inline std::vector<std::string> events_of(const scheduler::History& history) {
  std::vector<std::string> lines;
  for (const scheduler::HistoryEvent& event : history.events) {
    if (const auto* p = std::get_if<scheduler::ProposedEvent>(&event)) {
      lines.push_back("proposed " + text_of(history.trials.at(p->trial).proposed));
    } else if (const auto* f = std::get_if<scheduler::FinishedEvent>(&event)) {
      lines.push_back("finished " + text_of(history.trials.at(f->trial).finished.value()));
    } else if (const auto* o = std::get_if<scheduler::OpenedEvent>(&event)) {
      lines.push_back("opened " + text_of(history.confirmations.at(o->confirmation)));
    } else {
      const auto& verdict = std::get<scheduler::VerdictEvent>(event);
      lines.push_back("verdict " + text_of(history.verdicts.at(verdict.verdict)));
    }
  }
  return lines;
}

}  // namespace nightshift::tests
