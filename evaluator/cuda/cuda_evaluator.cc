#include "evaluator/cuda/cuda_evaluator.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "base/file_text.h"
#include "base/rng.h"
#include "evaluator/cuda/ceilings.h"
#include "evaluator/cuda/copy_rate.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/gpu_conditions.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/cuda/launch_times.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/sampling/later_checks.h"
#include "search/element_type.h"
#include "search/figures/audit_condition.h"
#include "search/figures/plain_answer.h"
#include "search/statistics/summary.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::OwnFigure;
using search::Phase;

constexpr double kEnergySeconds = 0.5;  // the counter moves every 20 to 100 ms

void run(KernelModule& module, const std::vector<PlannedLaunch>& launches,
         const std::vector<void*>& pointers, const Context& context) {
  for (const PlannedLaunch& launch : launches) {
    module.prepare(launch);
    module.launch(launch, pointers, context.stream());
  }
}

const PackedModule& module_of(const ArtifactPack& artifact, std::size_t which) {
  if (which >= artifact.modules.size()) {
    throw std::runtime_error("the artifact is of another problem: it has too few cases");
  }
  return artifact.modules[which];
}

void add_condition(search::Measurement& to, std::string_view name, std::string value) {
  if (!value.empty()) to.conditions.emplace_back(name, std::move(value));
}

// Of all studies, where each process has a folder of its own.
std::string folder_of_run(const ipc::ConfigureRequest& setting) {
  return std::filesystem::path(setting.scratch_folder).parent_path().string();
}

}  // namespace

CudaEvaluator::CudaEvaluator(const ipc::ConfigureRequest& setting)
    : setting_(setting),
      cuda_(std::get<search::CudaBackend>(setting_.problem.backend)),
      context_(setting_.gpu.uuid),
      support_(context_, setting_.gpu.architecture, folder_of_run(setting_)),
      timer_(context_),
      watch_(setting_.gpu.uuid, Clock::now()),
      cases_(cuda_.cases.size()) {
  if (!cuda_.tensor_maps.empty()) require_tensor_maps(driver());
  context_.synchronise();
}

// --- Inputs and answers ---

void CudaEvaluator::provide(Case& one, std::size_t which, const CasePlan& plan,
                            const ipc::EvaluateRequest& request) {
  const bool kept =
      one.arguments && one.arguments->seed() == request.seed && one.arguments->adopt(plan);
  if (kept && one.answer && one.reference == request.reference) return;
  const PackedModule packed = reference_of(request, which);
  KernelModule reference(packed);
  one.answer.reset();
  one.unseen_answer.reset();
  if (!kept) {
    one.arguments.reset();  // first: the new ones may need its memory
    one.arguments =
        std::make_unique<DeviceArguments>(cuda_.arguments, plan, request.seed, context_, support_,
                                          DeviceArguments::Ways{.fenced = distrusts()});
    compute_inputs(reference, plan, *one.arguments, 0);
    one.arguments->seal();
  }
  one.answer = answer_of(packed, reference, *one.arguments, which, plan);
  one.reference = request.reference;
}

PackedModule CudaEvaluator::reference_of(const ipc::EvaluateRequest& request,
                                         std::size_t which) const {
  const ArtifactPack artifact =
      load_pack(artifact_path(setting_.artifact_folder, request.reference));
  return module_of(artifact, which);
}

void CudaEvaluator::compute_inputs(KernelModule& reference, const CasePlan& plan,
                                   DeviceArguments& arguments, std::size_t set) {
  reference.run_alone(plan.prepare, arguments.pointers(set), context_.stream(),
                      "[[cuda.prepare]] (arguments in the kernel's types)");
}

CasePlan CudaEvaluator::plan_of(std::size_t which, const search::Configuration& configuration,
                                const PackedModule& packed) const {
  const MadeLaunches made =
      packed.launches.empty() ? MadeLaunches() : read_made_launches(packed.launches, cuda_);
  return plan_case(cuda_, which, search::resolved(setting_.problem, configuration), setting_.gpu,
                   made);
}

// `packed` and `reference` are the problem's reference, or where it has none the baseline.
DeviceAnswer CudaEvaluator::answer_of(const PackedModule& packed, KernelModule& reference,
                                      DeviceArguments& arguments, std::size_t which,
                                      const CasePlan& plan, std::size_t set) {
  if (search::has_reference(setting_.problem)) {
    return DeviceAnswer::of_reference(cuda_, reference, plan.reference, arguments, context_,
                                      support_, set);
  }
  const CasePlan baseline = plan_of(which, {}, packed);
  if (!arguments.adopt(baseline)) {
    throw std::runtime_error(
        "the baseline has vectors of other sizes: give the problem a [cuda.reference]");
  }
  arguments.restore();
  arguments.poison_outputs(set + 1);
  arguments.reset_work();
  arguments.fill_constant_arrays(reference);
  reference.run_alone(baseline.launches, arguments.pointers(set), context_.stream(),
                      "the baseline (its outputs are the expected answer)");
  DeviceAnswer answer = DeviceAnswer::of_outputs(cuda_, arguments, context_, support_, set);
  arguments.adopt(plan);
  return answer;
}

// Runs the kernel once on poisoned outputs and says what is wrong with its answer. Outputs that are
// the same to the byte as those of an earlier check are as right.
std::optional<search::TrialOutcome> CudaEvaluator::check_answer(const Case& one,
                                                                KernelModule& module,
                                                                const CasePlan& plan,
                                                                Checks& checks) {
  DeviceArguments& arguments = *one.arguments;
  arguments.restore();
  arguments.poison_outputs();
  arguments.reset_work();
  run(module, plan.launches, arguments.pointers(0), context_);
  if (auto damage = spoiled(arguments.damage_around())) return damage;
  if (checks.right && *checks.right == one.answer->sum_of(arguments, support_)) return std::nullopt;
  const DeviceAnswer::Verdict verdict = one.answer->judge(arguments, support_);
  checks.error = std::max(checks.error, verdict.error);
  if (verdict.wrong) {
    if (auto damage = spoiled(arguments.damage_of_inputs())) return damage;
    return *verdict.wrong;
  }
  checks.differ = checks.right.has_value();
  checks.right = verdict.sum;
  return check_unwritten(one, module, plan);
}

// What else a kernel wrote that wrote where it must not, nobody knows: the next evaluation makes
// everything anew.
std::optional<search::TrialOutcome> CudaEvaluator::spoiled(std::string words) {
  if (words.empty()) return std::nullopt;
  forget_cases();
  return search::LaunchFailed{std::move(words)};
}

void CudaEvaluator::forget_cases() {
  cases_.clear();
  cases_.resize(cuda_.cases.size());
}

// The next evaluation begins from inputs, expected answers and guards that are as they were made,
// by proof, or makes them anew: it must not be blamed for what this one did.
void CudaEvaluator::look_after_failure(search::TrialOutcome& outcome) {
  std::string damage;
  bool intact = true;
  for (const Case& one : cases_) {
    if (damage.empty() && one.arguments) damage = one.arguments->damage_of_sets();
    intact = intact && (!one.answer || one.answer->is_intact(support_)) &&
             (!one.unseen_answer || one.unseen_answer->is_intact(support_));
  }
  // Where it must not write says more than that its answer is wrong.
  const bool is_wrong = std::holds_alternative<search::WrongResult>(outcome);
  if (is_wrong && !damage.empty()) outcome = search::LaunchFailed{damage};
  if (!intact || !damage.empty()) forget_cases();
}

// Again, on fresh outputs (later_checks.h): a kernel that remembers its first answer must not pass
// for a fast one, and a race, or a run in a hundred that is wrong, may not have shown the first
// time. One that was given up passes for nothing: what it did to others is all that is asked.
// Whether inputs were written to is asked here and of wrong answers only: all of them are read for
// it.
std::optional<search::TrialOutcome> CudaEvaluator::check_again(const Case& one,
                                                               KernelModule& module,
                                                               const CasePlan& plan, bool given_up,
                                                               double measured, Checks& checks) {
  const auto again = [&] { return check_answer(one, module, plan, checks); };
  auto wrong = given_up ? spoiled(one.arguments->damage_around()) : checked_later(measured, again);
  if (!wrong && !given_up) wrong = spoiled(one.arguments->damage_of_work());
  if (!wrong) wrong = spoiled(one.arguments->damage_of_inputs());
  if (!wrong && cuda_.deterministic && checks.differ) {
    wrong = search::LaunchFailed{
        "two runs on the same inputs gave different outputs, although the problem is to be "
        "deterministic"};
  }
  return wrong;
}

// --- Measuring ---

double CudaEvaluator::copy_ceiling() {
  if (copy_ceiling_ == 0) copy_ceiling_ = copy_bytes_per_second(context_, timer_);
  return copy_ceiling_;
}

void CudaEvaluator::measure_energy(CudaMeasurement& measurement, CaseFindings& found) {
  const auto before = watch_.monitor().energy_mj();
  const auto start = Clock::now();
  const std::uint64_t executions = measurement.run_for(kEnergySeconds);
  const double seconds = seconds_since(start);
  const auto after = watch_.monitor().energy_mj();
  if (!before || !after || *after <= *before) {
    throw std::runtime_error(
        "this device does not tell its energy" +
        (watch_.monitor().why().empty() ? std::string() : ": " + watch_.monitor().why()));
  }
  const double joules = static_cast<double>(*after - *before) * 1e-3;
  found.joules = joules / static_cast<double>(executions);
  found.watts = joules / seconds;
}

// Fills L2 with data of nobody. A kernel all of whose accesses say that their lines are to go first
// replaces its own lines, and would find those of the check for as long as it is measured; and
// lines that an earlier kernel was to keep stay until they are told to be like others.
void CudaEvaluator::clear_cache() {
  if (const auto reset = driver().cuCtxResetPersistingL2Cache; reset != nullptr) (void)reset();
  const std::size_t bytes = 2 * context_.l2_bytes();
  if (nobodys_.size() == 0 && context_.free_bytes() / 4 > bytes) {
    nobodys_ = DeviceBuffer(bytes, "clearing the cache", context_.stream());
  }
  if (nobodys_.size() > 0) (void)support_.checksum(nobodys_.data(), bytes);
}

CudaEvaluator::Looks CudaEvaluator::measure(Case& one, std::uint32_t which, KernelModule& module,
                                            const CasePlan& plan, Evaluation& evaluation,
                                            CaseFindings& found) {
  const search::SamplingPlan& sampling = evaluation.request.sampling;
  CudaMeasurement measurement(cuda_.timing, sampling, module, plan.launches, *one.arguments,
                              context_, timer_, evaluation.progress);
  Looks looks{watch_.before(Clock::now()), {}};
  if (sampling.cold_cache) clear_cache();
  evaluation.progress.mark(Phase::kWarmUp);
  measurement.warm_up();
  evaluation.progress.mark(Phase::kMeasure);
  // With several cases one alone does not say how slow the whole is.
  const bool may_give_up = cuda_.cases.size() == 1 && cuda_.figures.front() == OwnFigure::kTime;
  const std::string& unit = setting_.problem.objectives.front().unit;
  found.seconds = measurement.sample(
      may_give_up ? evaluation.request.give_up_above / units_per_base(OwnFigure::kTime, unit) : 0);
  evaluation.measurement.censored = measurement.censored();
  if (wants(cuda_, OwnFigure::kEnergy) || wants(cuda_, OwnFigure::kPower)) {
    measure_energy(measurement, found);
  }
  if (sampling.timed == search::Timed::kEachLaunch && !measurement.censored()) {
    LaunchTimes times(
        {sampling, module, plan.launches, *one.arguments, context_, timer_, evaluation.progress},
        measurement);
    std::ranges::move(times.measure(which), std::back_inserter(evaluation.measurement.launches));
  }
  looks.after = watch_.after(Clock::now());
  measurement.describe(found.seconds, evaluation.measurement.conditions);
  return looks;
}

void CudaEvaluator::execute_marked(DeviceArguments& arguments, KernelModule& module,
                                   const CasePlan& plan) {
  arguments.restore();
  arguments.poison_outputs();
  arguments.reset_work();
  context_.synchronise();
  if (driver().cuProfilerStart != nullptr) (void)driver().cuProfilerStart();
  run(module, plan.launches, arguments.pointers(0), context_);
  context_.synchronise();
  if (driver().cuProfilerStop != nullptr) (void)driver().cuProfilerStop();
}

// --- An evaluation ---

std::optional<search::TrialOutcome> CudaEvaluator::evaluate_case(std::size_t which,
                                                                 const PackedModule& packed,
                                                                 Evaluation& evaluation) {
  auto start = Clock::now();
  evaluation.progress.mark(Phase::kLoad);
  const CasePlan plan = plan_of(which, evaluation.request.configuration, packed);
  KernelModule module(packed);
  evaluation.progress.mark(Phase::kPrepare);
  Case& one = cases_[which];
  provide(one, which, plan, evaluation.request);
  one.arguments->fill_constant_arrays(module);
  evaluation.progress.mark(Phase::kVerify);
  Checks checks;
  auto wrong = check_answer(one, module, plan, checks);
  evaluation.report.cost.check += seconds_since(start);
  if (wrong) return wrong;
  if (evaluation.request.sampling.timed == search::Timed::kForProfiler) {
    execute_marked(*one.arguments, module, plan);
    return std::nullopt;
  }

  start = Clock::now();
  CaseFindings found;
  found.bytes = plan.bytes;
  found.flops = plan.flops;
  found.resources = module.resources(plan.launches);
  found.binary_bytes = packed.cubin.size();
  const Looks looks =
      measure(one, static_cast<std::uint32_t>(which), module, plan, evaluation, found);
  const double measured = seconds_since(start);
  evaluation.report.cost.measure += measured;

  start = Clock::now();
  if (!evaluation.measurement.censored) {
    wrong = audit(one, which, packed, module, plan, evaluation, checks, found);
    if (!wrong && distrusts()) wrong = impossible_time(found);
  }
  const bool given_up = evaluation.measurement.censored;
  if (!wrong) wrong = check_again(one, module, plan, given_up, measured, checks);
  evaluation.report.cost.check += seconds_since(start);
  found.error = checks.error;
  describe_gpu(looks.before, looks.after, evaluation.measurement);
  evaluation.findings.cases.push_back(std::move(found));
  return wrong;
}

search::TrialReport CudaEvaluator::evaluate(const ipc::EvaluateRequest& request,
                                            ProgressSink& progress) {
  Evaluation evaluation{request, progress, {}, {}, {}, {}};
  try {
    search::TrialReport report = evaluate_all(evaluation);
    if (search::is_failure(report.outcome)) {
      progress.mark(Phase::kPrepare);
      look_after_failure(report.outcome);
    }
    return report;
  } catch (...) {
    forget_cases();
    throw;
  }
}

search::TrialReport CudaEvaluator::evaluate_all(Evaluation& evaluation) {
  const ipc::EvaluateRequest& request = evaluation.request;
  if (request.reference.empty()) {
    return {search::LaunchFailed{"there is no reference to check the answer against"}, {}};
  }
  const ArtifactPack artifact =
      load_pack(artifact_path(setting_.artifact_folder, request.artifact));
  evaluation.findings.build_seconds = artifact.build_seconds;
  for (std::size_t i = 0; i < cuda_.cases.size(); ++i) {
    if (auto wrong = evaluate_case(i, module_of(artifact, i), evaluation)) {
      evaluation.report.outcome =
          cuda_.cases.size() == 1
              ? *std::move(wrong)
              : search::in_case(*std::move(wrong), search::words_of(cuda_.cases[i]));
      return evaluation.report;
    }
  }
  if (request.sampling.timed == search::Timed::kForProfiler) {
    evaluation.report.outcome = search::Measured{};
    return evaluation.report;
  }
  // Where the ceiling is no objective it is not worth a trial that finds no memory.
  const bool has_bytes = std::ranges::any_of(evaluation.findings.cases,
                                             [](const CaseFindings& one) { return one.bytes > 0; });
  if (wants(cuda_, OwnFigure::kCeiling) ||
      (has_bytes && (copy_ceiling_ > 0 || context_.has_room_for(kMostCopyMemory)))) {
    evaluation.findings.copy_bytes_per_second = copy_ceiling();
  }
  evaluation.measurement.figures = figures_of(setting_.problem, cuda_, evaluation.findings);
  add_condition(evaluation.measurement, search::kCeilingsCondition,
                ceilings_text(evaluation.findings, arithmetic_ceiling(cuda_.arguments, context_)));
  describe_code(evaluation.findings.cases.front().resources, artifact, evaluation.measurement);
  add_condition(evaluation.measurement, search::kAuditCondition, std::move(evaluation.audit));
  if (request.configuration.is_baseline()) {
    add_condition(evaluation.measurement, search::kPlainAnswerCondition,
                  cases_.front().answer->plain());
  }
  evaluation.report.outcome = search::Measured{std::move(evaluation.measurement)};
  return evaluation.report;
}

}  // namespace nightshift::evaluator::cuda
