#include "evaluator/command/command_backend.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <variant>

#include "evaluator/command/command_builder.h"
#include "evaluator/command/command_server.h"
#include "evaluator/command/left_running.h"
#include "evaluator/command/output_limit.h"
#include "evaluator/command/run_count.h"
#include "evaluator/command/run_meters.h"
#include "evaluator/command/served_build.h"
#include "evaluator/command/served_program.h"
#include "evaluator/command/void_samples.h"
#include "evaluator/counters/peak_memory.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/memory_limit.h"
#include "evaluator/sampling/doubt_time.h"
#include "ipc/orphans.h"
#include "search/scoring.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

using Mode = search::CommandBackend::Mode;

// Of those that may be void (VoidSamples), before it is an error.
constexpr int kRunsForOne = 4;

constexpr const char* kEndedWithItsAnswer =
    "its 'peak_memory' is not known, since it ended with its answer: a server has to stay until "
    "its "
    "standard input ends";

constexpr const char* kLastCounts =
    "no figure is read of such output, since the last that is printed counts";

void append(std::vector<search::Samples>& to, std::vector<search::Samples> from) {
  if (to.empty()) {
    to = std::move(from);
    return;
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].values.insert(to[i].values.end(), from[i].values.begin(), from[i].values.end());
  }
}

void append(served::Texts& to, served::Texts from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

LaunchOptions launch_options(const ipc::ConfigureRequest& request) {
  const auto& command = std::get<search::CommandBackend>(request.problem.backend);
  LaunchOptions options;
  options.program = command.argv;
  options.environment = command.environment;
  options.directory = command.directory;
  options.limits.address_space = request.problem.limits.memory_bytes;
  options.output_bytes = static_cast<std::size_t>(request.problem.limits.output_bytes);
  return options;
}

std::string number(double value) { return search::to_json(search::Value(value)); }

// Readers of JSON in other languages know whole numbers up to 2^53.
constexpr std::uint64_t kExactlyRead = (std::uint64_t{1} << 53) - 1;

// How the request doubts what it measures. A program that does not audit is not asked before a claim.
std::string doubt_members(const search::Problem& problem, const ipc::EvaluateRequest& request,
                          bool audits) {
  if (request.sampling.trust != search::Trust::kNone) return "";
  if (problem.sampling.trust == search::Trust::kNone) return ", \"trust\": \"none\"";
  return audits ? ", \"audit\": " + number(most_seconds_of_pairs(problem.limits, request)) : "";
}

std::string measure_members(const search::Problem& problem, const ipc::EvaluateRequest& request,
                            const std::string& artifact_folder) {
  const search::SamplingPlan& plan = request.sampling;
  const int most = plan.precision > 0 ? std::max(plan.samples, plan.most_samples) : plan.samples;
  std::string text = "\"do\": \"measure\", " + asked_of(problem, request.configuration);
  if (!request.artifact.empty()) {
    text += ", \"artifact\": " +
            search::json_quoted(artifact_path(artifact_folder, request.artifact).string());
  }
  text += ", \"seed\": " + std::to_string(request.seed & kExactlyRead) + ", \"samples\": [" +
          std::to_string(plan.samples) + ", " + std::to_string(most) +
          "], \"precision\": " + number(plan.precision);
  if (request.give_up_above != 0) {
    text += ", \"give_up_above\": " + number(request.give_up_above);
  }
  return text + ", \"max_seconds\": " + number(plan.max_seconds) +
         ", \"warm_up\": {\"runs\": " + std::to_string(plan.warm_up_runs) +
         ", \"seconds\": " + number(plan.warm_up_seconds) +
         "}, \"min_sample_seconds\": " + number(plan.min_sample_seconds) +
         ", \"cold_cache\": " + (plan.cold_cache ? "true" : "false");
}

}  // namespace

// Those of one evaluation, so far.
struct CommandRuns {
  RunMeters meters;
  search::ProcessNames left;  // what they left running
};

CommandTrialBackend::CommandTrialBackend(const ipc::ConfigureRequest& request,
                                         std::unique_ptr<DeviceWatch> watch, Meters meters)
    : problem_(request.problem),
      command_(std::get<search::CommandBackend>(request.problem.backend)),
      launch_(launch_options(request)),
      scratch_folder_(request.scratch_folder),
      artifact_folder_(request.artifact_folder),
      rules_(request.problem.objectives, command_.figures),
      own_(own_objectives(request.problem)),
      meters_(std::move(meters)),
      primary_(search::primary_objective(request.problem)),
      watch_(std::move(watch)) {
  if (command_.argv.empty()) throw std::runtime_error("command.argv names no program");
  if (const double given = problem_.scheduling.given_baseline; given > 0) {
    rules_.hold_against(primary_.name, "given_baseline = " + search::to_text(given));
  }
  refuse_figures(problem_, own_);
  if (search::serves_frames(problem_)) {
    start_served(request);
    return;
  }
  builder_ = std::make_unique<CommandBuilder>(request);
  if (command_.mode == Mode::kServer) {
    if (rules_.has_regex()) {
      throw std::runtime_error(
          "a server answers in JSON: a figure cannot be found by a regex there");
    }
    if (request.measures && !own_.empty()) require_peaks_of_servers();
    launch_.environment = with_temporary_folder(launch_.environment, scratch_folder_);
    server_ = std::make_unique<CommandServer>(
        launch_,
        ServerProtocol{command_.numbered,
                       [this](const nlohmann::json& reply) { return rules_.flaw_in_reply(reply); },
                       wants(own_, search::OwnFigure::kPeakMemory)});
    return;
  }
  launch_.own_memory = wants(own_, search::OwnFigure::kPeakMemory);
  if (command_.runs < 0) throw std::runtime_error("command.runs must be 0 or more");
  if (request.measures) (void)RunMeters(own_, meters_);  // refuses here rather than in each trial
  // Every name is checked now, so that a slip is one message and not a failed trial each.
  (void)run_line(problem_, {}, "");
  (void)run_line(problem_, search::resolved(problem_, {}), "");
}

CommandTrialBackend::~CommandTrialBackend() = default;

RunResult CommandTrialBackend::run_once(const LaunchOptions& options, double limit_seconds,
                                        CommandRuns& runs, ProgressSink& progress) const {
  runs.meters.begin();
  const auto start = Clock::now();
  const auto deadline = after(start, own_share_of(limit_seconds));
  ipc::ChildProcess program = launch(options);
  SignsOfWork signs;
  if (!reaches_end(program, deadline, progress, signs)) {
    ipc::sweep_orphans({});
    runs.meters.end();
    return search::TrialOutcome(
        search::TimedOut{search::Phase::kMeasure, limit_seconds, signs.were_late(limit_seconds)});
  }
  const LeftRunning left = await_rest(program.pid(), Clock::now(), deadline, runs.left);
  const auto report = program.reap();
  if (left.any) ipc::sweep_orphans({});
  runs.meters.end();
  runs.left.insert(left.names.begin(), left.names.end());
  return result_of(program, *report, std::chrono::duration<double>(left.end - start).count(), runs);
}

RunResult CommandTrialBackend::result_of(const ipc::ChildProcess& program,
                                         const ipc::ExitReport& report, double wall_seconds,
                                         CommandRuns& runs) const {
  const std::string output = program.standard_output();
  // Before all else that is told, since what was cut off is why the rest went wrong, and a line is
  // shown of what may be a megabyte.
  const std::string cut = program.output_was_cut() ? "error: its output was cut off at " +
                                                         output_limit_text(launch_.output_bytes)
                                                   : "";
  const auto* exited = std::get_if<ipc::Exited>(&report);
  if (exited == nullptr || exited->code != 0) {
    const std::string errors = program.standard_error();
    const std::string& words = errors.empty() ? output : errors;
    return search::TrialOutcome(with_memory_limit(
        crash_of(report, cut.empty() ? words : cut + "\n" + words), problem_.limits.memory_bytes));
  }
  try {
    if (rules_.has_printed() && program.standard_output_was_cut()) throw FigureError(kLastCounts);
    RunResult result = rules_.read_output(output, wall_seconds);
    auto* figures = std::get_if<std::vector<search::Samples>>(&result);
    if (figures != nullptr) runs.meters.add_to(*figures, program.peak_memory());
    return result;
  } catch (const FigureError& e) {
    std::string words = cut.empty() ? e.what() : cut + "; " + e.what();
    if (!runs.left.empty()) {
      words += "; it left " + search::words_of(runs.left) +
               " running behind its end, whose output is not waited for";
    }
    return search::TrialOutcome(search::LaunchFailed{words});
  }
}

// Lower is better, so that a figure to be maximised counts as its reciprocal.
bool CommandTrialBackend::all_above(const search::Measurement& measurement, double limit) const {
  const search::Samples* samples = measurement.find(primary_.name);
  if (limit <= 0 || samples == nullptr || samples->values.empty()) return false;
  const bool minimised = primary_.direction == search::Direction::kMinimise;
  return std::all_of(samples->values.begin(), samples->values.end(),
                     [&](double x) { return (minimised ? x : 1 / x) > limit; });
}

ipc::BuiltReply CommandTrialBackend::build(const ipc::BuildRequest& request,
                                           ProgressSink& progress) {
  return builder_->build(request, progress);
}

RunResult CommandTrialBackend::run_within(const LaunchOptions& options, Clock::time_point deadline,
                                          CommandRuns& runs, ProgressSink& progress) const {
  progress.mark(search::Phase::kMeasure);
  const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
  if (left <= 0) {
    return search::TrialOutcome(
        search::TimedOut{search::Phase::kMeasure, problem_.limits.trial, true});
  }
  RunResult result = run_once(options, std::min(problem_.limits.measure, left), runs, progress);
  auto* const failure = std::get_if<search::TrialOutcome>(&result);
  auto* const late = failure != nullptr ? std::get_if<search::TimedOut>(failure) : nullptr;
  if (late != nullptr && left < problem_.limits.measure) {
    late->limit_seconds = problem_.limits.trial;
  }
  return result;
}

search::TrialOutcome CommandTrialBackend::run_program(const ipc::EvaluateRequest& request,
                                                      ProgressSink& progress) const {
  CommandLine line = run_line(problem_, request.configuration,
                              artifact_path(artifact_folder_, request.artifact).string());
  LaunchOptions options = launch_;
  options.program = std::move(line.words);
  options.environment = with_temporary_folder(std::move(line.environment), scratch_folder_);
  const auto deadline = after(Clock::now(), own_share_of(problem_.limits.trial));
  search::Measurement measurement;
  VoidSamples voids(problem_);
  CommandRuns runs{RunMeters(own_, meters_), {}};
  const RunCount count(problem_, request);
  int begun = 0, good = 0;
  while (count.wants_more(good) && begun < kRunsForOne * count.most() && !measurement.censored) {
    RunResult result = run_within(options, deadline, runs, progress);
    if (auto* failure = std::get_if<search::TrialOutcome>(&result)) return std::move(*failure);
    auto figures = std::get<std::vector<search::Samples>>(std::move(result));
    ++begun;
    if (!voids.drop(figures)) continue;
    append(measurement.figures, std::move(figures));
    ++good;
    measurement.censored =
        good == 1 && count.wants_more(good) && all_above(measurement, request.give_up_above);
  }
  if (good == 0) return search::LaunchFailed{voids.complaint(begun)};
  measurement.conditions = {{search::kRunsCondition, std::to_string(begun)}};
  if (runs.meters.estimated()) measurement.conditions.emplace_back(kCountersCondition, kEstimates);
  add_figures_of_build(own_, artifact_folder_, request.artifact, measurement);
  append(measurement.conditions, rules_.conditions());
  append(measurement.conditions, voids.conditions());
  if (!runs.left.empty()) {
    measurement.conditions.emplace_back(search::kLeftRunningCondition, search::words_of(runs.left));
  }
  return search::Measured{std::move(measurement)};
}

search::TrialOutcome CommandTrialBackend::ask_server(const search::Configuration& configuration,
                                                     ProgressSink& progress) {
  progress.mark(search::Phase::kMeasure);
  VoidSamples voids(problem_);
  for (int asked = 1; asked <= kRunsForOne; ++asked) {
    auto reply = server_->ask(configuration.to_json(), problem_.limits.measure, progress);
    if (auto* failure = std::get_if<search::TrialOutcome>(&reply)) return std::move(*failure);
    const auto& answer = std::get<CommandServer::Answer>(reply);
    try {
      RunResult result = rules_.read_reply(answer.line, answer.seconds);
      if (auto* failure = std::get_if<search::TrialOutcome>(&result)) return std::move(*failure);
      auto figures = std::get<std::vector<search::Samples>>(std::move(result));
      if (!own_.empty() && !answer.peak_memory) throw FigureError(kEndedWithItsAnswer);
      add_peak_memory(own_, answer.peak_memory.value_or(0), figures);
      if (voids.drop(figures)) {
        search::Measurement measurement{std::move(figures), rules_.conditions()};
        append(measurement.conditions, voids.conditions());
        return search::Measured{std::move(measurement)};
      }
    } catch (const FigureError& e) {
      return search::LaunchFailed{e.what()};
    }
  }
  return search::LaunchFailed{voids.complaint(kRunsForOne)};
}

// --- Protocol 2 ---

void CommandTrialBackend::start_served(const ipc::ConfigureRequest& request) {
  if (rules_.has_regex()) {
    throw std::runtime_error("a server answers in JSON: a figure cannot be found by a regex there");
  }
  const served::Role role = request.measures ? served::Role::kMeasure : served::Role::kBuild;
  launch_.environment = served_environment(launch_.environment, role, scratch_folder_);
  served_ = std::make_unique<ServedProgram>(launch_, role, problem_.limits, rules_);
  if (!request.measures) builder_ = std::make_unique<CommandBuilder>(request, served_.get());
  const std::string refusal = served_->open();
  if (!refusal.empty()) throw std::runtime_error(refusal);
  if (problem_.sampling.trust == search::Trust::kNone && !served_->distrusts()) {
    throw std::runtime_error(
        "measure.trust is \"none\", and the program does not say in its hello that it distrusts "
        "its "
        "kernels (\"distrusts\": true)");
  }
}

search::TrialOutcome CommandTrialBackend::ask_served(const ipc::EvaluateRequest& request,
                                                     ProgressSink& progress,
                                                     search::TrialCost& cost) {
  const std::string members = measure_members(problem_, request, artifact_folder_) +
                              doubt_members(problem_, request, served_->audits());
  ServedProgram::Reply reply = served_->ask(members, problem_.limits.trial, progress);
  fresh_ = reply.fresh;
  cost.check = reply.checking;
  cost.measure = reply.measuring;
  cost.build = reply.building;
  if (auto* failure = std::get_if<search::TrialOutcome>(&reply.result)) return std::move(*failure);
  auto& answer = std::get<served::Answer>(reply.result);
  search::Measurement measurement{std::move(answer.figures), served_->versions()};
  append(measurement.conditions, compiler_figures(artifact_folder_, request.artifact));
  append(measurement.conditions, std::move(answer.conditions));
  append(measurement.conditions, rules_.conditions());
  VoidSamples voids(problem_);
  auto figures = measurement.figures;
  if (voids.drop(figures)) measurement.figures = std::move(figures);
  append(measurement.conditions, voids.conditions());
  measurement.censored = answer.given_up && request.give_up_above != 0;
  return search::Measured{std::move(measurement)};
}

bool CommandTrialBackend::spent() const { return served_ != nullptr && !served_->running(); }

void CommandTrialBackend::idle() {
  if (served_ != nullptr) served_->idle();
  if (server_ != nullptr) server_->idle();
}

bool CommandTrialBackend::ran_afresh() const {
  if (served_ != nullptr) return fresh_;
  return server_ == nullptr || server_->asked_afresh();
}

// An artifact that changed while it was used makes its figures and its failures nobody's, so that
// it is looked at again behind the program.
search::TrialReport CommandTrialBackend::evaluate(const ipc::EvaluateRequest& request,
                                                  ProgressSink& progress) {
  const auto expect_whole = [&] {
    if (!request.artifact.empty()) {
      trees_.expect_whole(artifact_path(artifact_folder_, request.artifact));
    }
  };
  expect_whole();
  watch_->begin();
  search::TrialReport report = report_of(request, progress);
  expect_whole();
  if (auto* measured = std::get_if<search::Measured>(&report.outcome)) {
    watch_->note(measured->measurement);
  }
  return report;
}

search::TrialReport CommandTrialBackend::report_of(const ipc::EvaluateRequest& request,
                                                   ProgressSink& progress) {
  search::TrialReport report;
  if (served_ != nullptr) {
    report.outcome = ask_served(request, progress, report.cost);
    return report;
  }
  const auto start = Clock::now();
  try {
    report.outcome = once_it_starts(progress, [&] {
      return server_ != nullptr ? ask_server(request.configuration, progress)
                                : run_program(request, progress);
    });
  } catch (const NotStarted& e) {
    report.outcome = search::LaunchFailed{e.what()};
  }
  report.cost.measure = seconds_since(start);
  return report;
}

}  // namespace nightshift::evaluator
