#include "tools/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/quantity.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/seconds.h"
#include "scheduler/trials/tolerance_advice.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/compare/built_code.h"
#include "tools/compare/comparison_report.h"
#include "tools/compare/measured_field.h"
#include "tools/judge/judged_problem.h"
#include "tools/problem/foreseen_inputs.h"
#include "tools/problem/problem_source.h"
#include "tools/temporary_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEpilogue = R"(
A candidate is a source with the functions of the problem's own, which it is to replace. For a [cuda]
problem it is CUDA C++; for a [host] problem it is built as what its name ends in, C++, C, Fortran or
assembler, whatever language the problem's own has. It is launched or called as the baseline is, checked
against the reference, and measured against the baseline in pairs, with `[measure] trust = "none"`: all
that can be done is done so that its time is that of its work (evaluator/README.md). Of CUDA kernels
their code runs on the device alone, in processes of its own; [host] kernels run in the evaluator's
process, and are not to come from enemies.

  --json   one JSON object a candidate, one a line: candidate, verdict, status, reason; where both were
           measured also ratio (below 1: faster), interval, confidence, p_value, level, same_machine_code,
           seconds, seed, notices
  --serve  reads {"candidate": "FILE", "id": ...} a line and answers each with such a line, until the
           end of its input; id is optional, and repeated

verdict: "faster" or "slower" (shown at the level asked for, and by at least min_improvement),
"no_difference", "same_code" (the machine code is the baseline's: it runs and is right, and no pair is
measured), "undecided", "refused" (status says how it failed: "build_failed", "launch_failed",
"wrong_result", "timed_out", "crashed"). Where the baseline fails, each candidate that is left is
"undecided", with status "baseline_failed". Of several candidates each has its share of the level, and
of the budget: all are built first, and what does not build leaves its share to the others.

Exit codes: 0 none is faster; 10 one is; 4 the baseline failed; 7 interrupted; others as in
`nightshift --help`.

Examples:
  nightshift judge problem.toml --candidate mine.cu
  nightshift judge problem.toml --candidate a.cc --candidate b.cc --confidence publish --json
  generator | nightshift judge problem.toml --serve | referee)";

void declare(ArgumentParser& parser, JudgeOptions& o) {
  add_problem(parser, o.problem);
  parser.repeatable(
      "--candidate FILE", [&](const ArgumentParser::Values& files) { o.candidates = files; },
      "Source to be judged; may be repeated");
  parser.flag("--serve", o.serve, "Candidates come as JSON lines on standard input");
  add_devices(parser, o.devices);
  add_wait(parser, o.wait);
  add_confidence(parser, o.overrides, "that a kernel which is no faster passes for one");
  const ValueForm<double> time_form{
      [](const std::string& text) { return base::parse_duration(text); },
      "a time such as 30s, 10m or 1h30m"};
  parser.option("--budget TIME", o.budget, time_form,
                "When to stop, e.g. 90s or 10m: what is not decided by then is \"undecided\". Each "
                "candidate has its share; with --serve each has all of it");
  add_seed(parser, o.seed, "Whole number; repeats the order of the visits");
  add_set(parser, o.overrides);
  add_json(parser, o.json, "Print one JSON object a candidate, one a line");
  parser.check([&] {
    if (o.serve == o.candidates.empty()) return;
    parser.error("judge: expected --candidate FILE or --serve, and not both");
  });
}

std::string verdict_of(ComparisonOutcome outcome) {
  switch (outcome) {
    case ComparisonOutcome::kSecondBetter:
      return "faster";
    case ComparisonOutcome::kSecondWorse:
      return "slower";
    case ComparisonOutcome::kUndecided:
      return "undecided";
    case ComparisonOutcome::kNoDifference:
      break;
  }
  return "no_difference";
}

Json json_of(const std::string& candidate, const ComparisonReport& report) {
  Json all = json_of(report);
  const ComparisonOutcome outcome =
      outcome_of(report.verdict, report.problem->acceptance.min_improvement);
  const bool is_same = report.same_code && outcome == ComparisonOutcome::kNoDifference;
  Json json{{"candidate", candidate},
            {"verdict", is_same ? "same_code" : verdict_of(outcome)},
            {"status", "measured"}};
  for (const char* key : {"reason", "ratio", "interval", "confidence", "p_value", "level", "pairs",
                          "same_machine_code", "seconds", "seed", "notices"}) {
    json[key] = std::move(all[key]);
  }
  return json;
}

scheduler::EvaluationLoop::Time time_of(std::optional<double> seconds) {
  scheduler::EvaluationLoop::Time time;
  time.first_limits_others = true;
  if (seconds) time.end = scheduler::SystemClock{}.now() + scheduler::seconds(*seconds);
  return time;
}

bool is_over(const scheduler::EvaluationLoop::Time& time) {
  return time.end && scheduler::SystemClock{}.now() >= *time.end;
}

Json unmeasured(const std::string& candidate, std::string_view verdict, std::string_view status,
                const std::string& reason) {
  return {{"candidate", candidate}, {"verdict", verdict}, {"status", status}, {"reason", reason}};
}

// One of those that are judged: a problem of its own, in a folder of its own.
struct Candidate {
  Candidate(const search::Problem& problem, std::string file)
      : name(std::move(file)),
        folder(std::make_unique<TemporaryFolder>()),
        field(judged(problem, name, folder->path())) {
    field.temporary = folder->path();
  }

  std::string name;
  std::unique_ptr<TemporaryFolder> folder;
  Field field;
  std::optional<Json> verdict;  // none: it is not judged yet
};

// Does `work`, by which the candidate may have its verdict. False where a signal stopped it. A
// failure of the candidate's is its verdict, and so is the end of the time. Throws
// scheduler::StudyError where it is the baseline that fails.
bool carry_out(Candidate& candidate, const scheduler::EvaluationLoop::Time& time,
               const std::function<bool()>& work) {
  const std::string& name = candidate.name;
  try {
    return work();
  } catch (const scheduler::ContenderFailed& failed) {
    const bool is_late = std::holds_alternative<search::TimedOut>(failed.outcome());
    const std::string why = search::describe(failed.outcome()) +
                            scheduler::tolerance_advice(candidate.field.problem, failed.outcome());
    if (is_late && is_over(time)) {
      candidate.verdict = unmeasured(name, "undecided", "timed_out", why);
    } else if (failed.contender() == 1) {
      candidate.verdict = unmeasured(name, "refused", search::status_name(failed.outcome()), why);
    } else {
      throw;
    }
  } catch (const scheduler::StudyError& error) {
    if (!is_over(time)) throw;
    candidate.verdict = unmeasured(name, "undecided", "timed_out", error.what());
  }
  return true;
}

// Before it is measured. As carry_out().
bool build(Candidate& candidate, const JudgeOptions& options,
           const scheduler::EvaluationLoop::Time& time) {
  Field& field = candidate.field;
  return carry_out(candidate, time, [&] {
    const auto built = built_code(field.problem, field.contenders, options.devices,
                                  *candidate.folder, "building " + candidate.name, time);
    if (!built) return false;
    field.artifacts = candidate.folder->artifacts();
    field.reference = built->reference;
    for (std::size_t i = 0; i < field.contenders.size(); ++i) {
      field.contenders[i].artifact = built->contenders[i];
    }
    return true;
  });
}

// What is not built yet is built. As carry_out().
bool measure(Candidate& candidate, const JudgeOptions& options,
             const scheduler::EvaluationLoop::Time& time) {
  const ContestTerms terms{options.devices, options.seed, time, options.wait};
  return carry_out(candidate, terms.time, [&] {
    const std::optional<ComparisonReport> report = compared(candidate.field, terms);
    if (report) candidate.verdict = json_of(candidate.name, *report);
    return report.has_value();
  });
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string text_of(const Json& json) {
  std::string text = fmt::format("{}: {}", json["candidate"].get<std::string>(),
                                 json["verdict"].get<std::string>());
  if (json["status"] != "measured") text += " (" + json["status"].get<std::string>() + ")";
  const bool is_measured = json.contains("pairs") && json["pairs"] > 0;
  if (is_measured && json["ratio"].is_number()) {
    text += fmt::format(", {:.4g} times the baseline's time", json["ratio"].get<double>());
    const Json& interval = json["interval"];
    if (interval[0].is_number() && interval[1].is_number()) {
      text +=
          fmt::format(" [{:.4g}, {:.4g}]", interval[0].get<double>(), interval[1].get<double>());
    }
  }
  text += "\n  " + json["reason"].get<std::string>() + "\n";
  if (!json.contains("notices")) return text;
  for (const auto& notice : json["notices"]) text += "  " + notice.get<std::string>() + "\n";
  return text;
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void tell(const Json& verdict, const JudgeOptions& options) {
  print(options.json ? line_of(verdict) : text_of(verdict));
}

Json without_baseline(const std::string& candidate, const std::string& reason) {
  return unmeasured(candidate, "undecided", "baseline_failed", reason);
}

// Of several candidates each has its share of what is left of the budget.
class Shares {
 public:
  explicit Shares(std::optional<double> budget) : budget_(budget) {}

  // Of the next one of those that have no verdict yet, from now on.
  scheduler::EvaluationLoop::Time next(const std::vector<Candidate>& candidates) const {
    if (!budget_) return time_of(std::nullopt);
    const std::chrono::duration<double> used = scheduler::SystemClock{}.now() - began_;
    const auto left =
        std::ranges::count_if(candidates, [](const Candidate& one) { return !one.verdict; });
    const double share = std::max(*budget_ - used.count(), 0.0) / static_cast<double>(left);
    scheduler::EvaluationLoop::Time time = time_of(share);
    if (candidates.size() > 1) {
      time.used_up =
          fmt::format("its share of the budget, {:.1f} of {:.4g} s, was used up", share, *budget_);
    }
    return time;
  }

 private:
  std::optional<double> budget_;
  scheduler::Clock::TimePoint began_ = scheduler::SystemClock{}.now();
};

// So that what does not build leaves its share to all others, wherever it stands among them. What is
// undecided at the end of its share stays so: another test of it would need a share of the level
// too. False where a signal stopped it.
bool build_all(std::vector<Candidate>& candidates, const JudgeOptions& options,
               const Shares& shares) {
  if (candidates.size() < 2 || !options.budget) return true;
  for (Candidate& candidate : candidates) {
    if (!build(candidate, options, shares.next(candidates))) return false;
  }
  return true;
}

ExitCode judge_all(search::Problem problem, const JudgeOptions& options) {
  problem.acceptance.level /= static_cast<double>(options.candidates.size());
  const Shares shares(options.budget);
  std::vector<Candidate> candidates;
  for (const std::string& file : options.candidates) candidates.emplace_back(problem, file);
  bool any = false;
  std::size_t told = 0;
  try {
    if (!build_all(candidates, options, shares)) return ExitCode::kInterrupted;
    for (; told < candidates.size(); ++told) {
      Candidate& candidate = candidates[told];
      if (!candidate.verdict && !measure(candidate, options, shares.next(candidates))) {
        return ExitCode::kInterrupted;
      }
      any = any || (*candidate.verdict)["verdict"] == "faster";
      tell(*candidate.verdict, options);
      candidate.folder.reset();
    }
  } catch (const scheduler::StudyError& error) {
    // The others would meet the same baseline.
    for (; told < candidates.size(); ++told) {
      const Candidate& other = candidates[told];
      tell(other.verdict.value_or(without_baseline(other.name, error.what())), options);
    }
    throw;
  }
  return any ? ExitCode::kSecondBetter : ExitCode::kSuccess;
}

// One request. What is wrong with it is the answer.
std::optional<Json> answer(const search::Problem& problem, const std::string& line,
                           const JudgeOptions& options) {
  const Json request = Json::parse(line, nullptr, false);
  Json id;
  if (request.is_object() && request.contains("id")) id = request["id"];
  std::optional<Json> verdict;
  if (!request.is_object() || !request.contains("candidate") || !request["candidate"].is_string()) {
    verdict = Json{{"error", "expected {\"candidate\": \"FILE\"}"}};
  } else {
    try {
      Candidate candidate(problem, request["candidate"].get<std::string>());
      if (!measure(candidate, options, time_of(options.budget))) return std::nullopt;
      verdict = std::move(candidate.verdict);
    } catch (const UsageError& error) {
      verdict = Json{{"error", error.what()}};
    } catch (const scheduler::StudyError& error) {
      Json last = without_baseline(request["candidate"].get<std::string>(), error.what());
      if (!id.is_null()) last["id"] = id;
      print(line_of(last));
      throw;  // each of the others would meet the same baseline
    }
  }
  if (verdict && !id.is_null()) (*verdict)["id"] = id;
  return verdict;
}

ExitCode serve(const search::Problem& problem, const JudgeOptions& options) {
  bool any = false;
  for (std::string line; std::getline(std::cin, line);) {
    const std::optional<Json> verdict = answer(problem, line, options);
    if (!verdict) return ExitCode::kInterrupted;
    any = any || verdict->value("verdict", "") == "faster";
    print(line_of(*verdict));
  }
  return any ? ExitCode::kSecondBetter : ExitCode::kSuccess;
}

ExitCode run(const JudgeOptions& options) {
  search::Problem problem = read_problem(options.problem, options.overrides);
  problem.sampling.trust = search::Trust::kNone;
  if (search::is_kernel(problem)) look_at_inputs(problem);
  return options.serve ? serve(problem, options) : judge_all(problem, options);
}

}  // namespace

Command judge_command() {
  return make_command<JudgeOptions>(
      "judge", "Are kernels that nobody vouches for right, and faster than the baseline?",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
