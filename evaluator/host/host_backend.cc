#include "evaluator/host/host_backend.h"

#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "base/rng.h"
#include "evaluator/host/host_audit.h"
#include "evaluator/host/host_builder.h"
#include "evaluator/host/host_measure.h"
#include "evaluator/host/host_reference.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/damaged_artifact.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/process_state.h"
#include "evaluator/sampling/later_checks.h"
#include "search/element_type.h"
#include "search/evaluation_figure.h"
#include "search/statistics/summary.h"
#include "search/time_unit.h"

namespace nightshift::evaluator {
namespace {

// Of a kernel that an audit refutes: what each later one contradicts as well is no neighbour's.
constexpr int kSamplings = 3;

double units_per_second(const std::vector<search::Objective>& objectives) {
  if (objectives.size() != 1 || objectives.front().name != "time") {
    throw std::runtime_error(
        "host kernels are measured in one figure, \"time\"; other objectives need a [command] "
        "problem");
  }
  const search::Objective& time = objectives.front();
  if (time.direction != search::Direction::kMinimise) {
    throw std::runtime_error("the time of a host kernel can only be minimised");
  }
  const auto scale = search::per_second(time.unit);
  if (!scale) {
    throw std::runtime_error("the time of a host kernel cannot be given in '" + time.unit +
                             "': use s, ms, us or ns");
  }
  return *scale;
}

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

// The conditions are those of the first case, but for what disturbed any of them.
search::Measurement joined(std::vector<search::Measurement> cases, const search::CaseTerms& terms) {
  search::Measurement all = std::move(cases.front());
  if (cases.size() == 1) return all;
  search::Samples& samples = all.figures.front();
  samples.cases = {samples.values};
  for (std::size_t i = 1; i < cases.size(); ++i) {
    samples.cases.push_back(std::move(cases[i].figures.front().values));
    if (all.disturbance.empty()) all.disturbance = cases[i].disturbance;
  }
  samples.values = search::aggregated(samples.cases, terms);
  all.conditions.emplace_back("cases", std::to_string(cases.size()));
  return all;
}

}  // namespace

HostTrialBackend::HostTrialBackend(const ipc::ConfigureRequest& request)
    : problem_(request.problem),
      host_(std::get<search::HostBackend>(request.problem.backend)),
      artifact_folder_(request.artifact_folder),
      scratch_folder_(request.scratch_folder),
      units_per_second_(units_per_second(request.problem.objectives)),
      builder_(std::make_unique<HostBuilder>(request)),
      reference_(std::make_unique<HostReference>(host_)),
      eviction_(std::make_unique<CacheEviction>()) {
  refuse_types_of_gpus(host_);
  if (!has_output(host_)) {
    throw std::runtime_error(
        "no argument is an output, so that no answer can be checked: give one access = \"out\"");
  }
}

HostTrialBackend::~HostTrialBackend() = default;

ipc::BuiltReply HostTrialBackend::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  return builder_->build(request, progress);
}

// Where nobody is trusted. What was given up passes for nothing.
void HostTrialBackend::audit(const ipc::EvaluateRequest& request, const Case& one,
                             const OnArguments& on, Sampled& sampled, ProgressSink& progress) {
  if (request.sampling.trust != search::Trust::kNone || sampled.measurement.censored) return;
  const double time = search::median_of(sampled.measurement.figures.front().values);
  HostAudit audit({host_, one.shapes, one.artifact.string(), one.reference.string(),
                   scratch_folder_, one.seed, time / units_per_second_, *reference_, progress},
                  on.library, on.arguments);
  sampled.wrong = audit.run();
  sampled.is_refuted = audit.contradicts_samples();
}

void HostTrialBackend::expect_artifact(const std::string& hash) {
  const auto artifact = artifact_path(artifact_folder_, hash);
  host_.cases.size() == 1 ? expect_content(artifact) : trees_.expect_whole(artifact);
}

search::TrialReport HostTrialBackend::evaluate(const ipc::EvaluateRequest& request,
                                               ProgressSink& progress) {
  const ProcessState before = ProcessState::now();
  const FloatingPoint settings;
  spent_ = true;  // also where an exception ends it
  search::TrialReport report = measured(request, progress);
  // What was written over while it ran is nobody's failure, and nobody's figure.
  if (!request.artifact.empty()) expect_artifact(request.artifact);
  spent_ = ProcessState::now() != before;
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

// An answer that is equal to one that was right is not compared again.
std::optional<search::TrialOutcome> HostTrialBackend::check(const Case& one,
                                                            const KernelLibrary& library,
                                                            HostArguments& arguments,
                                                            double seconds) {
  HostArguments::Contents right, answer;
  const auto start = Clock::now();
  for (int call = 0; call == 0 || (call < kMostChecks && seconds_since(start) < seconds); ++call) {
    arguments.restore();
    arguments.poison_outputs();
    library.call(arguments.pointers());
    arguments.read_outputs(answer);
    if (answer == right) continue;
    if (const std::string damage = arguments.damage(); !damage.empty()) {
      return search::LaunchFailed{damage};
    }
    if (auto wrong = wrong_in(one, arguments)) return wrong;
    std::swap(right, answer);
  }
  return std::nullopt;
}

std::optional<search::TrialOutcome> HostTrialBackend::wrong_in(const Case& one,
                                                               const HostArguments& arguments) {
  return reference_->wrong(arguments, one.reference.string(), one.shapes, one.seed);
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
  return check(one, library, arguments, kShareOfChecks * measured);
}

HostTrialBackend::Sampled HostTrialBackend::sampled(const ipc::EvaluateRequest& request,
                                                    const Case& one, const OnArguments& on,
                                                    search::TrialCost& cost,
                                                    ProgressSink& progress) {
  const auto start = Clock::now();
  HostMeasurement measurement(on.library, on.arguments, request.sampling, *eviction_, progress);
  progress.mark(search::Phase::kWarmUp);
  measurement.warm_up();
  progress.mark(search::Phase::kMeasure);
  // With several cases one alone does not say how slow the whole is.
  const double give_up_above = host_.cases.size() == 1 ? request.give_up_above : 0;
  Sampled sampled;
  sampled.measurement = measurement.sample(give_up_above / units_per_second_);
  for (double& value : sampled.measurement.figures.front().values) value *= units_per_second_;
  cost.measure += seconds_since(start);
  const auto measured_at = Clock::now();
  sampled.wrong = check_later(one, on.library, on.arguments, seconds_since(start));
  if (!sampled.wrong) audit(request, one, on, sampled, progress);
  cost.check += seconds_since(measured_at);
  return sampled;
}

std::variant<search::Measurement, search::TrialOutcome> HostTrialBackend::measured_case(
    const ipc::EvaluateRequest& request, std::size_t which, search::TrialCost& cost,
    ProgressSink& progress) {
  const auto start = Clock::now();
  if (which > 0) progress.mark(search::Phase::kLoad);  // each case has its own deadlines
  const KernelLibrary library(
      library_of(host_, artifact_path(artifact_folder_, request.artifact), which).string());
  progress.mark(search::Phase::kPrepare);
  const Case one = case_of(request, which);
  HostArguments arguments(host_.arguments, one.shapes, one.seed, HostArguments::View::kKernel);
  progress.mark(search::Phase::kVerify);
  reference_->expected(one.reference.string(), one.shapes, one.seed);
  auto wrong = check(one, library, arguments, 0);
  cost.check += seconds_since(start);
  if (wrong) return *std::move(wrong);
  for (int samplings = 1;; ++samplings) {
    Sampled sampled = this->sampled(request, one, {library, arguments}, cost, progress);
    if (sampled.is_refuted && samplings < kSamplings) {
      arguments.refill(one.seed);
      continue;
    }
    if (sampled.wrong) return *std::move(sampled.wrong);
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
  report.outcome = search::Measured{joined(std::move(cases), problem_.cases)};
  return report;
}

}  // namespace nightshift::evaluator
