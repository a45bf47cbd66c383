#include "tools/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/seconds.h"
#include "scheduler/trials/tolerance_advice.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
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
A candidate is a CUDA C++ or C++ source with the functions of the problem's own, which it is to replace. It
is launched or called as the baseline is, checked against the reference, and measured against the baseline in
pairs, with `[measure] trust = "none"`: all that can be done is done so that its time is that of its
work (evaluator/README.md). Of CUDA kernels their code runs on the device alone, in processes of its
own; C++ kernels run in the evaluator's process, and are not to come from enemies.

  --json   one JSON object a candidate, one a line: candidate, verdict, status, reason; where both were
           measured also ratio (below 1: faster), interval, confidence, p_value, level, same_machine_code,
           seconds, seed
  --serve  reads {"candidate": "FILE", "id": ...} a line and answers each with such a line, until the
           end of its input; id is optional, and repeated

verdict: "faster" or "slower" (shown at the level asked for, and by at least min_improvement),
"no_difference", "same_code" (the machine code is the baseline's: it runs and is right, and no pair is
measured), "undecided", "refused" (status says how it failed: "build_failed", "launch_failed",
"wrong_result", "timed_out", "crashed"). Where the baseline fails, each candidate that is left is
"undecided", with status "baseline_failed". Of several candidates each has its share of the level.

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
                          "same_machine_code", "seconds", "seed"}) {
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

// In so many seconds. nullopt where a signal stopped it. Throws scheduler::StudyError where it is
// the baseline that fails.
std::optional<Json> judge(const search::Problem& problem, const std::string& candidate,
                          const JudgeOptions& options, std::optional<double> seconds) {
  const TemporaryFolder folder;
  const Field field = judged(problem, candidate, folder.path());
  const ContestTerms terms{options.devices, options.seed, time_of(seconds), options.wait};
  try {
    const std::optional<ComparisonReport> report = compared(field, terms);
    if (!report) return std::nullopt;
    return json_of(candidate, *report);
  } catch (const scheduler::ContenderFailed& failed) {
    const bool is_late = std::holds_alternative<search::TimedOut>(failed.outcome());
    const std::string why =
        search::describe(failed.outcome()) + scheduler::tolerance_advice(problem, failed.outcome());
    if (is_late && is_over(terms.time)) return unmeasured(candidate, "undecided", "timed_out", why);
    if (failed.contender() != 1) throw;
    return unmeasured(candidate, "refused", search::status_name(failed.outcome()), why);
  } catch (const scheduler::StudyError& error) {
    if (!is_over(terms.time)) throw;
    return unmeasured(candidate, "undecided", "timed_out", error.what());
  }
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
    text += fmt::format(", {:.4g} times the baseline's time [{:.4g}, {:.4g}]",
                        json["ratio"].get<double>(), json["interval"][0].get<double>(),
                        json["interval"][1].get<double>());
  }
  return text + "\n  " + json["reason"].get<std::string>() + "\n";
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

ExitCode judge_all(search::Problem problem, const JudgeOptions& options) {
  problem.acceptance.level /= static_cast<double>(options.candidates.size());
  const auto began = scheduler::SystemClock{}.now();
  auto left = static_cast<double>(options.candidates.size());
  bool any = false;
  for (const std::string& candidate : options.candidates) {
    const std::chrono::duration<double> used = scheduler::SystemClock{}.now() - began;
    std::optional<double> share = options.budget;
    if (share) share = std::max(*share - used.count(), 0.0) / left--;
    try {
      const std::optional<Json> verdict = judge(problem, candidate, options, share);
      if (!verdict) return ExitCode::kInterrupted;
      any = any || (*verdict)["verdict"] == "faster";
      tell(*verdict, options);
    } catch (const scheduler::StudyError& error) {
      // The others would meet the same baseline.
      const auto first = std::ranges::find(options.candidates, candidate);
      for (auto other = first; other != options.candidates.end(); ++other) {
        tell(without_baseline(*other, error.what()), options);
      }
      throw;
    }
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
      verdict = judge(problem, request["candidate"].get<std::string>(), options, options.budget);
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
