#include "evaluator/host/host_backend.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "base/rng.h"
#include "evaluator/counters/binary_size.h"
#include "evaluator/counters/build_time.h"
#include "evaluator/host/build/host_builder.h"
#include "evaluator/host/build/host_call.h"
#include "evaluator/host/host_audit.h"
#include "evaluator/host/host_draws.h"
#include "evaluator/host/host_figures.h"
#include "evaluator/host/host_measure.h"
#include "evaluator/host/host_reference.h"
#include "evaluator/host/kernel_threads.h"
#include "evaluator/host/plain_answer.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/damaged_artifact.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/process_state.h"
#include "evaluator/process/thread_settings.h"
#include "evaluator/sampling/conditions_text.h"
#include "evaluator/sampling/doubt_time.h"
#include "evaluator/sampling/later_checks.h"
#include "search/element_type.h"
#include "search/figures/audit_condition.h"
#include "search/figures/one_core.h"
#include "search/figures/plain_answer.h"
#include "search/statistics/summary.h"

namespace nightshift::evaluator {
namespace {

using search::OwnFigure;

// Of a kernel that an audit refutes: what each later one contradicts as well is no neighbour's.
constexpr int kSamplings = 3;

void refuse_types_of_gpus(const search::HostBackend& host) {
  for (const search::Argument& argument : host.arguments) {
    if (!search::is_cpp_type(argument.type) || argument.access == search::Argument::Access::kWork ||
        argument.fill == search::Argument::Fill::kBits ||
        argument.fill == search::Argument::Fill::kComputed) {
      throw std::runtime_error("argument '" + argument.name +
                               "' has a type, access or fill that only CUDA kernels have");
    }
  }
}

bool has_output(const search::HostBackend& host) {
  for (const search::Argument& argument : host.arguments) {
    if (!argument.scalar && argument.access != search::Argument::Access::kIn) return true;
  }
  return false;
}

search::Samples still(OwnFigure figure, double value) {
  return {std::string(search::rule_of(figure).name), {value}};
}

}  // namespace

HostTrialBackend::HostTrialBackend(const ipc::ConfigureRequest& request, const Meters& meters)
    : problem_(request.problem),
      host_(std::get<search::HostBackend>(request.problem.backend)),
      artifact_folder_(request.artifact_folder),
      scratch_folder_(request.scratch_folder),
      objectives_(own_objectives(request.problem)),
      builder_(std::make_unique<HostBuilder>(request)),
      reference_(std::make_unique<HostReference>(host_)),
      eviction_(std::make_unique<CacheEviction>()) {
  refuse_types_of_gpus(host_);
  if (!has_output(host_)) {
    throw std::runtime_error(
        "no argument is an output, so that no answer can be checked: give one access = \"out\"");
  }
  if (!request.measures) return;
  // Before any kernel starts threads, which are counted from their beginning on.
  if (auto figures = counted(objectives_); !figures.empty()) {
    counters_.emplace(std::move(figures), CountedFrom::kNow, *meters.counters);
  }
  if (wants(objectives_, OwnFigure::kEnergy)) energy_.emplace(meters.powercap);
}

HostTrialBackend::~HostTrialBackend() = default;

ipc::BuiltReply HostTrialBackend::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  return builder_->build(request, progress);
}

// Where the request says so, whoever the problem trusts. What was given up passes for nothing.
void HostTrialBackend::audit(const ipc::EvaluateRequest& request, const Case& one,
                             const OnArguments& on, double sampling, Sampled& sampled,
                             ProgressSink& progress) {
  if (request.sampling.trust != search::Trust::kNone || sampled.measurement.censored) return;
  const double time = search::median_of(sampled.measurement.figures.front().values);
  const search::Trust trust = problem_.sampling.trust;
  const double most = trust == search::Trust::kNone
                          ? 0
                          : seconds_of_pairs(problem_.limits, request, seconds_since(on.began));
  HostAudit audit({host_, one.shapes, one.artifact.string(), one.reference.string(),
                   scratch_folder_, one.seed, time, sampling, trust, most,
                   seconds_of_stalls(problem_.limits, sampling), *reference_, progress},
                  on.library, on.arguments);
  sampled.wrong = audit.run();
  sampled.is_refuted = audit.contradicts_samples();
  if (sampled.wrong) return;
  const bool is_cut_short = audit.is_cut_short() || on.draws_cut_short;
  sampled.measurement.conditions.emplace_back(
      search::kAuditCondition, is_cut_short ? search::kAuditCutShort : search::kAuditHeld);
  if (const double times = audit.times_on_new_inputs(); times > 0) {
    sampled.measurement.conditions.emplace_back(search::kNewInputsCondition, rounded(times, 100));
  }
}

void HostTrialBackend::expect_artifact(const std::string& hash) {
  const auto artifact = artifact_path(artifact_folder_, hash);
  host_.cases.size() == 1 ? expect_content(artifact) : trees_.expect_whole(artifact);
}

search::TrialReport HostTrialBackend::evaluate(const ipc::EvaluateRequest& request,
                                               ProgressSink& progress) {
  const ProcessState before = ProcessState::now();
  spent_ = true;  // also where an exception ends it
  search::TrialReport report;
  {
    const FloatingPoint put_back;
    report = measured(request, progress);
  }
  // What was written over while it ran is nobody's failure, and nobody's figure.
  if (!request.artifact.empty()) expect_artifact(request.artifact);
  spent_ =
      ProcessState::now() != before || runtimes_have_changed() || threads_have_other_settings();
  return report;
}

HostTrialBackend::Case HostTrialBackend::case_of(const ipc::EvaluateRequest& request,
                                                 std::size_t which) const {
  const auto library = [&](const std::string& hash) {
    return library_of(host_, artifact_path(artifact_folder_, hash), which);
  };
  return {library(request.artifact), library(request.reference),
          shapes_of(host_, search::resolved(problem_, request.configuration), which),
          which == 0 ? request.seed : base::mix_seed(request.seed, which)};
}

struct HostTrialBackend::Answers {
  HostArguments::Contents right, last;
};

std::optional<search::TrialOutcome> HostTrialBackend::check(const Case& one,
                                                            const KernelLibrary& library,
                                                            HostArguments& arguments,
                                                            Answers& answers) {
  arguments.restore();
  arguments.poison_outputs();
  library.call(arguments.pointers());
  arguments.read_outputs(answers.last);
  if (answers.last == answers.right) return std::nullopt;
  if (const std::string damage = arguments.damage(); !damage.empty()) {
    return search::LaunchFailed{damage};
  }
  if (auto wrong = wrong_in(one, arguments)) return wrong;
  std::swap(answers.right, answers.last);
  return std::nullopt;
}

std::optional<search::TrialOutcome> HostTrialBackend::wrong_in(const Case& one,
                                                               const HostArguments& arguments) {
  auto wrong = reference_->wrong(arguments, one.reference.string(), one.shapes, one.seed);
  if (!wrong && wants(objectives_, OwnFigure::kError)) {
    error_ = std::max(error_,
                      reference_->error(arguments, one.reference.string(), one.shapes, one.seed));
  }
  return wrong;
}

// What the last sample left, where its calls began with inputs of their own, and further calls: a
// kernel that remembers its first answer must not pass for a fast one, and a race, or a call in a
// hundred that is wrong, may not have shown the first time.
std::optional<search::TrialOutcome> HostTrialBackend::check_later(const Case& one,
                                                                  const KernelLibrary& library,
                                                                  HostArguments& arguments,
                                                                  double measured) {
  if (!arguments.has_inout()) {
    if (auto wrong = wrong_in(one, arguments)) return wrong;
  }
  Answers answers;
  return checked_later(measured, [&] { return check(one, library, arguments, answers); });
}

HostTrialBackend::Sampled HostTrialBackend::sampled(const ipc::EvaluateRequest& request,
                                                    const Case& one, const OnArguments& on,
                                                    search::TrialCost& cost,
                                                    ProgressSink& progress) {
  const auto start = Clock::now();
  HostMeasurement measurement(on.library, on.arguments, request.sampling, *eviction_, progress,
                              counters_ ? &*counters_ : nullptr);
  progress.mark(search::Phase::kWarmUp);
  measurement.warm_up();
  progress.mark(search::Phase::kMeasure);
  // With several cases one alone does not say how slow the whole is.
  const OwnObjective& first = objectives_.front();
  const bool may_give_up = host_.cases.size() == 1 && first.figure == OwnFigure::kTime;
  Sampled sampled;
  sampled.measurement =
      measurement.sample(may_give_up ? request.give_up_above / first.per_base_unit : 0);
  if (energy_) {
    sampled.measurement.figures.push_back(still(OwnFigure::kEnergy, measurement.energy(*energy_)));
  }
  const double sampling = seconds_since(start);
  cost.measure += sampling;
  const auto measured_at = Clock::now();
  sampled.wrong = check_later(one, on.library, on.arguments, sampling);
  if (!sampled.wrong) audit(request, one, on, sampling, sampled, progress);
  cost.check += seconds_since(measured_at);
  return sampled;
}

// What is no sample.
void HostTrialBackend::add_still(const ipc::EvaluateRequest& request, const Case& one,
                                 search::Measurement& measurement) const {
  auto& figures = measurement.figures;
  if (wants(objectives_, OwnFigure::kBinarySize)) {
    figures.push_back(
        still(OwnFigure::kBinarySize, static_cast<double>(binary_size(one.artifact))));
  }
  if (wants(objectives_, OwnFigure::kBuildTime)) {
    figures.push_back(still(OwnFigure::kBuildTime, build_time(artifact_folder_, request.artifact)));
    measurement.conditions.emplace_back("build time", kOfFirstBuild);
  }
  if (wants(objectives_, OwnFigure::kError)) figures.push_back(still(OwnFigure::kError, error_));
  if (usable_cores() != 1) return;
  if (const std::string_view threads = threads_of(one.artifact); !threads.empty()) {
    measurement.conditions.emplace_back(search::kOneCoreCondition, threads);
  }
}

std::variant<search::Measurement, search::TrialOutcome> HostTrialBackend::measured_case(
    const ipc::EvaluateRequest& request, std::size_t which, search::TrialCost& cost,
    ProgressSink& progress) {
  const auto start = Clock::now();
  error_ = 0;
  if (which > 0) progress.mark(search::Phase::kLoad);  // each case has its own deadlines
  const KernelLibrary library(
      library_of(host_, artifact_path(artifact_folder_, request.artifact), which).string());
  progress.mark(search::Phase::kPrepare);
  const Case one = case_of(request, which);
  HostArguments arguments(host_.arguments, one.shapes, one.seed, HostArguments::View::kKernel);
  progress.mark(search::Phase::kVerify);
  reference_->expected(one.reference.string(), one.shapes, one.seed);
  Answers answers;
  auto wrong = check(one, library, arguments, answers);
  cost.check += seconds_since(start);
  if (wrong) return *std::move(wrong);
  const auto known_at = Clock::now();
  const std::string plain = request.configuration.is_baseline()
                                ? plain_answer(host_.arguments, arguments)
                                : std::string();
  HostDraws draws({host_, one.shapes, one.reference.string(), one.seed,
                   seconds_of_draws(problem_.limits, request, seconds_since(start)), *reference_,
                   progress});
  wrong = draws.wrong(library, arguments);
  cost.check += seconds_since(known_at);
  if (wrong) return *std::move(wrong);
  for (int samplings = 1;; ++samplings) {
    const OnArguments on{library, arguments, start, draws.is_cut_short()};
    Sampled sampled = this->sampled(request, one, on, cost, progress);
    if (sampled.is_refuted && samplings < kSamplings) {
      arguments.refill(one.seed);
      continue;
    }
    if (sampled.wrong) return *std::move(sampled.wrong);
    add_still(request, one, sampled.measurement);
    if (!plain.empty()) {
      sampled.measurement.conditions.emplace_back(search::kPlainAnswerCondition, plain);
    }
    return std::move(sampled.measurement);
  }
}

search::TrialReport HostTrialBackend::measured(const ipc::EvaluateRequest& request,
                                               ProgressSink& progress) {
  search::TrialReport report;
  if (request.reference.empty()) {
    report.outcome = search::LaunchFailed{"there is no reference to check the answer against"};
    return report;
  }
  progress.mark(search::Phase::kLoad);
  expect_artifact(request.artifact);
  if (host_.cases.size() > 1) expect_artifact(request.reference);
  std::vector<search::Measurement> cases;
  for (std::size_t i = 0; i < host_.cases.size(); ++i) {
    auto one = measured_case(request, i, report.cost, progress);
    if (auto* wrong = std::get_if<search::TrialOutcome>(&one)) {
      report.outcome = host_.cases.size() == 1
                           ? std::move(*wrong)
                           : search::in_case(std::move(*wrong), search::words_of(host_.cases[i]));
      return report;
    }
    cases.push_back(std::get<search::Measurement>(std::move(one)));
  }
  report.outcome = search::Measured{joined(std::move(cases), objectives_, problem_.cases)};
  return report;
}

}  // namespace nightshift::evaluator
