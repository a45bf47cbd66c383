#include "tools/collect/applied_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "tools/collect/applied_report.h"
#include "tools/collect/python_hook.h"
#include "tools/collect/take_back.h"
#include "tools/collect/unfit_group.h"
#include "tools/compare/comparison_report.h"
#include "tools/compare/field.h"
#include "tools/compare/measured_field.h"
#include "tools/compare/output_check.h"
#include "tools/compare/told_report.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
constexpr const char* kAsItIs = "the program as it is";
constexpr double kTimesAsItIs = 10, kLeastLimit = 60;  // seconds, of a run that may hang

// Of a tuned.json: names of the studies whose winners it has.
std::vector<std::string> studies_in(const std::string& file) {
  std::ifstream stream(file);
  const ordered_json told = ordered_json::parse(stream, nullptr, false);
  std::vector<std::string> names;
  try {
    for (const ordered_json& kernel : told.at("kernels")) {
      for (const ordered_json& row : kernel.at("rows")) names.push_back(row.at("study"));
    }
  } catch (const ordered_json::exception&) {
    throw UsageError(file + " is not what `nightshift apply` writes");
  }
  if (names.empty()) {
    throw UsageError(file + " has nothing to apply: no improvement holds over the whole batch");
  }
  return names;
}

// One measurement of the program, whose problem its report points to.
struct Measured {
  Field field;
  std::optional<ComparisonReport> report;
};
class AppliedProgram {
 public:
  explicit AppliedProgram(const CompareOptions& options)
      : options_(options), file_(tuned_file(*options.apply)), studies_(studies_in(file_)) {}

  // nullopt: a signal ended it.
  std::optional<ExitCode> run();

 private:
  TwoCommands commands(const Positions& first, const Positions& second) const;
  std::vector<std::string> words(const Positions& applied) const;
  std::vector<std::string> names(const Positions& which) const;
  Measured measured(const Positions& first, const Positions& second) const;
  Positions all() const;
  // Those with a bool: false where a signal ended it.
  bool check();
  bool leave_out_unfit(const std::string& why);
  bool measure_groups(TakeBack& take_back);
  bool measure_all(TakeBack& take_back);
  void mark(const std::vector<std::string>& taken_back) const;

  const CompareOptions& options_;
  std::string file_;
  std::vector<std::string> studies_;  // those that are measured
  std::vector<std::string> unfit_;    // those that the program does not stand
  Measured last_;                     // of the program as it is and with all that is kept
  std::vector<AppliedStep> steps_;
};

std::vector<std::string> AppliedProgram::names(const Positions& which) const {
  std::vector<std::string> all;
  for (const std::size_t one : which) all.push_back(studies_[one]);
  return all;
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

// Without anything the program has no hook at all: it is what its user runs today. It has the
// user's TMPDIR as well: in a folder of its own torch.compile would write all kernels anew.
std::vector<std::string> AppliedProgram::words(const Positions& applied) const {
  std::vector<std::string> all = {"env", "-u",    "NIGHTSHIFT_APPLY", "-u", "NIGHTSHIFT_COLLECT",
                                  "-u",  "TMPDIR"};
  if (const char* folder = std::getenv("TMPDIR")) all.push_back(std::string("TMPDIR=") + folder);
  if (!applied.empty()) {
    for (const auto& [name, value] : with_hook(
             {{"NIGHTSHIFT_APPLY", file_}, {"NIGHTSHIFT_APPLY_ONLY", listed(names(applied))}})) {
      all.push_back(name + "=" + value);
    }
  }
  const std::vector<std::string>& program = options_.words.front();
  all.insert(all.end(), program.begin(), program.end());
  return all;
}

TwoCommands AppliedProgram::commands(const Positions& first, const Positions& second) const {
  TwoCommands both = options_.figure;
  both.first = words(first);
  both.second = words(second);
  return both;
}

Measured AppliedProgram::measured(const Positions& first, const Positions& second) const {
  Measured made;
  made.field.problem = problem_of(commands(first, second), options_.overrides);
  made.field.with_configurations = false;
  if (options_.check) made.field.check = *options_.check;
  const search::ParameterSpace space = problems::make_space(made.field.problem);
  const auto name = [&](const Positions& which) {
    return which.empty() ? kAsItIs : fmt::format("{} tuned launches", which.size());
  };
  made.field.contenders = {{name(first), {}}, {name(second), space.configuration({0})}};
  made.report = compared(made.field, {options_.devices, options_.seed, {}, options_.wait});
  if (made.report) made.report->problem = nullptr;  // the field moves; set where it is read
  return made;
}

bool AppliedProgram::measure_groups(TakeBack& take_back) {
  while (const auto group = take_back.next()) {
    const Positions without = take_back.kept_without(*group);
    Measured made = measured(without, take_back.kept());
    if (!made.report) return false;
    made.report->problem = &made.field.problem;
    const search::Verdict& verdict = made.report->verdict;
    const ComparisonOutcome outcome = outcome_of(*made.report);
    steps_.push_back({names(*group), outcome, verdict.ratio, verdict.interval, ""});
    // Each one takes minutes, and a run that is stopped leaves what was found until then.
    fmt::print(stderr, "nightshift: {}\n", line_of(steps_.back(), made.field.problem));
    if (without.empty()) last_ = std::move(made);
    take_back.ended(outcome);
  }
  return true;
}

void AppliedProgram::mark(const std::vector<std::string>& taken_back) const {
  if (module_code(module_words({"tuned", file_, "--take-back", listed(taken_back)})) != 0) {
    throw UsageError(file_ + ": what was taken back can't be written");
  }
}

Positions AppliedProgram::all() const {
  Positions every(studies_.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  return every;
}

bool AppliedProgram::check() {
  if (!options_.check) return true;
  const TwoCommands both = commands({}, all());
  const double limit = problem_of(both, options_.overrides).limits.measure;
  try {
    return check_outputs(both, *options_.check, limit) != OutputCheck::kStopped;
  } catch (const scheduler::StudyError& error) {
    return leave_out_unfit(error.what());
  }
}

// `why`: what the program said with all of them. It is told where the program says it without any of
// them as well, or where nothing is left.
bool AppliedProgram::leave_out_unfit(const std::string& why) {
  const std::string check = options_.check.value_or("true");
  double limit = problem_of(commands({}, {}), options_.overrides).limits.measure;
  bool stopped = false;
  const auto stands = [&](const Positions& group) {
    if (stopped) return true;
    try {
      stopped = check_outputs(commands({}, group), check, limit) == OutputCheck::kStopped;
      return true;
    } catch (const scheduler::StudyError&) {
      return false;
    }
  };
  const auto begin = std::chrono::steady_clock::now();
  if (!stands({})) throw scheduler::StudyError(why);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  limit = std::min(limit, std::max(kLeastLimit, kTimesAsItIs * took.count()));
  if (stands(all())) throw scheduler::StudyError(why + "; not again in another run");
  const Positions unfit = unfit_of(all(), stands);
  if (stopped) return false;
  for (const std::string& name : names(unfit)) {
    steps_.push_back(
        {{name},
         ComparisonOutcome::kSecondWorse,
         1,
         {},
         options_.check ? "the program fails or prints something else" : "the program fails"});
    unfit_.push_back(name);
  }
  std::erase_if(studies_, [&](const std::string& name) {
    return std::ranges::find(unfit_, name) != unfit_.end();
  });
  if (!studies_.empty()) return true;
  mark(unfit_);
  throw scheduler::StudyError(why + "; all is taken back");
}

bool AppliedProgram::measure_all(TakeBack& take_back) {
  try {
    return measure_groups(take_back);
  } catch (const scheduler::ContenderFailed& failed) {
    if (failed.contender() == 0 || !unfit_.empty()) throw;
    if (!leave_out_unfit(failed.what())) return false;
  }
  take_back = TakeBack(studies_.size(), options_.one_by_one);
  return measure_groups(take_back);
}

std::optional<ExitCode> AppliedProgram::run() {
  if (!check()) return std::nullopt;
  TakeBack take_back(studies_.size(), options_.one_by_one);
  if (!measure_all(take_back)) return std::nullopt;
  if (!take_back.taken_back().empty() && !take_back.kept().empty()) {
    last_ = measured({}, take_back.kept());
    if (!last_.report) return std::nullopt;
  }
  last_.report->problem = &last_.field.problem;
  AppliedReport report{*last_.report, file_, names(take_back.kept()), names(take_back.taken_back()),
                       steps_};
  if (outcome_of(report.whole) == ComparisonOutcome::kSecondWorse) {
    report.taken_back = studies_;
    report.kept.clear();
  }
  report.taken_back.insert(report.taken_back.end(), unfit_.begin(), unfit_.end());
  mark(report.taken_back);
  tell(options_, document_of(report), json_of(report));
  return exit_code_of(*last_.report);
}

}  // namespace

ExitCode compare_applied(const CompareOptions& options) {
  const auto code = AppliedProgram(options).run();
  if (code) return *code;
  std::fputs("nightshift: stopped by a signal; nothing is concluded\n", stderr);
  return ExitCode::kInterrupted;
}

}  // namespace nightshift::tools
