#include "evaluator/cuda/cuda_visitor.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "evaluator/cuda/artifact_pack.h"
#include "evaluator/launched_child.h"
#include "evaluator/measurement_words.h"
#include "evaluator/whole_file.h"
#include "kernels/cuda_figure_rule.h"
#include "kernels/element_type.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::CudaFigure;
using search::Phase;

constexpr double kEnergySeconds = 0.5;  // the counter moves every 20 to 100 ms
constexpr std::size_t kCopyBytes = std::size_t{512} << 20;
constexpr int kCopies = 7;

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

void add(Conditions& conditions, const char* name, std::optional<double> before,
         std::optional<double> after, const char* unit) {
  if (!after) return;
  std::string text = rounded(*after, 10) + " " + unit;
  if (before && *before != *after) text = rounded(*before, 10) + " to " + text;
  conditions.emplace_back(name, std::move(text));
}

}  // namespace

CudaVisitor::CudaVisitor(const ipc::ConfigureRequest& setting)
    : setting_(setting),
      cuda_(std::get<search::CudaBackend>(setting_.problem.backend)),
      context_(setting_.gpu.uuid),
      support_(context_, setting_.gpu.architecture, setting_.artifact_folder),
      timer_(context_),
      watch_(setting_.gpu.uuid, Clock::now()),
      cases_(cuda_.cases.size()) {
  if (!cuda_.tensor_maps.empty()) require_tensor_maps(driver());
  context_.synchronise();
}

// --- Inputs and answers ---

void CudaVisitor::provide(Case& one, std::size_t which, const CasePlan& plan,
                          const ipc::EvaluateRequest& request) {
  const bool kept =
      one.arguments && one.arguments->seed() == request.seed && one.arguments->adopt(plan);
  if (kept && one.answer && one.reference == request.reference) return;
  const ArtifactPack artifact = unpack(read_whole_file(request.reference));
  KernelModule reference(module_of(artifact, which));
  one.answer.reset();
  if (!kept) {
    one.arguments.reset();  // first: the new ones may need its memory
    one.arguments =
        std::make_unique<DeviceArguments>(cuda_.arguments, plan, request.seed, context_, support_);
    run(reference, plan.prepare, one.arguments->pointers(0), context_);
    context_.synchronise();
    one.arguments->seal();
  }
  one.answer = answer_of(reference, *one.arguments, which, plan);
  one.reference = request.reference;
}

// `reference` is the problem's reference, or where it has none the baseline.
DeviceAnswer CudaVisitor::answer_of(KernelModule& reference, DeviceArguments& arguments,
                                    std::size_t which, const CasePlan& plan) {
  if (search::has_reference(setting_.problem)) {
    return DeviceAnswer::of_reference(cuda_, reference, plan.reference, arguments, context_,
                                      support_);
  }
  const CasePlan baseline =
      plan_case(cuda_, which, search::resolved(setting_.problem, {}), setting_.gpu);
  if (!arguments.adopt(baseline)) {
    throw std::runtime_error(
        "the baseline has vectors of other sizes: give the problem a [cuda.reference]");
  }
  arguments.restore();
  arguments.poison_outputs();
  arguments.reset_work();
  run(reference, baseline.launches, arguments.pointers(0), context_);
  context_.synchronise();
  DeviceAnswer answer = DeviceAnswer::of_outputs(cuda_, arguments, context_, support_);
  arguments.adopt(plan);
  return answer;
}

// Runs the kernel once on poisoned outputs and says what is wrong with its answer. Outputs that are
// the same to the byte as those of an earlier check are as right.
std::optional<search::TrialOutcome> CudaVisitor::check_answer(const Case& one, KernelModule& module,
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
  return std::nullopt;
}

// What else a kernel wrote that wrote where it must not, nobody knows: the next visit makes
// everything anew.
std::optional<search::TrialOutcome> CudaVisitor::spoiled(std::string words) {
  if (words.empty()) return std::nullopt;
  cases_.clear();
  cases_.resize(cuda_.cases.size());
  return search::LaunchFailed{std::move(words)};
}

// Again, on fresh outputs: a kernel that remembers its first answer must not pass for a fast one,
// and a race may not have shown the first time. One that was given up passes for nothing: what it
// did to others is all that is asked. Whether inputs were written to is asked here and of wrong
// answers only, since all of them are read for it.
std::optional<search::TrialOutcome> CudaVisitor::check_again(const Case& one, KernelModule& module,
                                                             const CasePlan& plan, bool given_up,
                                                             Checks& checks) {
  auto wrong =
      given_up ? spoiled(one.arguments->damage_around()) : check_answer(one, module, plan, checks);
  if (!wrong) wrong = spoiled(one.arguments->damage_of_inputs());
  if (!wrong && cuda_.deterministic && checks.differ) {
    wrong = search::LaunchFailed{
        "two runs on the same inputs gave different outputs, although the problem is to be "
        "deterministic"};
  }
  return wrong;
}

// --- Measuring ---

double CudaVisitor::copy_bytes_per_second() {
  if (copy_bytes_per_second_ > 0) return copy_bytes_per_second_;
  const std::size_t bytes = std::min(kCopyBytes, context_.free_bytes() / 4);
  const DeviceBuffer from(bytes, "a copy", context_.stream());
  const DeviceBuffer to(bytes, "a copy", context_.stream());
  std::vector<double> seconds;
  for (int i = 0; i < kCopies; ++i) {
    seconds.push_back(timer_.time(1, [&] {
      check(driver().cuMemcpyDtoDAsync_v2(to.data(), from.data(), bytes, context_.stream()),
            "copying");
    }));
  }
  std::nth_element(seconds.begin(), seconds.begin() + kCopies / 2, seconds.end());
  return copy_bytes_per_second_ = 2 * static_cast<double>(bytes) / seconds[kCopies / 2];
}

void CudaVisitor::measure_energy(CudaMeasurement& measurement, CaseFindings& found) {
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
void CudaVisitor::clear_cache() {
  if (const auto reset = driver().cuCtxResetPersistingL2Cache; reset != nullptr) (void)reset();
  const std::size_t bytes = 2 * context_.l2_bytes();
  if (nobodys_.size() == 0 && context_.free_bytes() / 4 > bytes) {
    nobodys_ = DeviceBuffer(bytes, "clearing the cache", context_.stream());
  }
  if (nobodys_.size() > 0) (void)support_.checksum(nobodys_.data(), bytes);
}

CudaVisitor::Looks CudaVisitor::measure(Case& one, KernelModule& module, const CasePlan& plan,
                                        Visit& visit, CaseFindings& found) {
  CudaMeasurement measurement(cuda_, visit.request.sampling, module, plan, *one.arguments, context_,
                              timer_, visit.progress);
  Looks looks{watch_.before(Clock::now()), {}};
  if (visit.request.sampling.cold_cache) clear_cache();
  visit.progress.mark(Phase::kWarmUp);
  measurement.warm_up();
  visit.progress.mark(Phase::kMeasure);
  // With several cases one alone does not say how slow the whole is.
  const bool may_give_up = cuda_.cases.size() == 1 && cuda_.figures.front() == CudaFigure::kTime;
  const std::string& unit = setting_.problem.objectives.front().unit;
  found.seconds = measurement.sample(
      may_give_up ? visit.request.give_up_above / kernels::units_per_base(CudaFigure::kTime, unit)
                  : 0);
  visit.measurement.censored = measurement.censored();
  if (wants(cuda_, CudaFigure::kEnergy) || wants(cuda_, CudaFigure::kPower)) {
    measure_energy(measurement, found);
  }
  looks.after = watch_.after(Clock::now());
  measurement.describe(found.seconds, visit.measurement.conditions);
  return looks;
}

void CudaVisitor::describe_device(const GpuReading& before, const GpuReading& after,
                                  search::Measurement& measurement) const {
  Conditions& conditions = measurement.conditions;
  add(conditions, "clock", before.sm_clock_mhz, after.sm_clock_mhz, "MHz");
  add(conditions, "memory clock", before.memory_clock_mhz, after.memory_clock_mhz, "MHz");
  add(conditions, "temperature", before.temperature, after.temperature, "C");
  add(conditions, "power", before.power_watts, after.power_watts, "W");
  if (before.power_capped_ns && after.power_capped_ns) {
    const bool capped = *after.power_capped_ns > *before.power_capped_ns;
    conditions.emplace_back("regime", capped ? "sustained: under the power cap" : "burst");
  }
  if (after.clock_events && *after.clock_events != 0) {
    std::string words;
    for (const std::string& word : clock_event_words(*after.clock_events)) {
      words += (words.empty() ? "" : ", ") + word;
    }
    if (!words.empty()) conditions.emplace_back("clock limited by", words);
  }
  if (const std::string words = disturbance_between(before, after); !words.empty()) {
    measurement.disturbance = words;
  }
}

// --- A visit ---

std::optional<search::TrialOutcome> CudaVisitor::visit_case(std::size_t which,
                                                            const PackedModule& packed,
                                                            Visit& visit) {
  auto start = Clock::now();
  visit.progress.mark(Phase::kLoad);
  const CasePlan plan = plan_case(
      cuda_, which, search::resolved(setting_.problem, visit.request.configuration), setting_.gpu);
  KernelModule module(packed);
  visit.progress.mark(Phase::kPrepare);
  Case& one = cases_[which];
  provide(one, which, plan, visit.request);
  visit.progress.mark(Phase::kVerify);
  Checks checks;
  auto wrong = check_answer(one, module, plan, checks);
  visit.report.cost.check += seconds_since(start);
  if (wrong) return wrong;

  start = Clock::now();
  CaseFindings found;
  found.bytes = plan.bytes;
  found.flops = plan.flops;
  found.resources = module.resources(plan.launches);
  found.binary_bytes = packed.cubin.size();
  const Looks looks = measure(one, module, plan, visit, found);
  visit.report.cost.measure += seconds_since(start);

  start = Clock::now();
  wrong = check_again(one, module, plan, visit.measurement.censored, checks);
  visit.report.cost.check += seconds_since(start);
  found.error = checks.error;
  describe_device(looks.before, looks.after, visit.measurement);
  visit.findings.cases.push_back(std::move(found));
  return wrong;
}

search::TrialReport CudaVisitor::visit(const ipc::EvaluateRequest& request,
                                       ProgressSink& progress) {
  Visit visit{request, progress, {}, {}, {}};
  if (request.reference.empty()) {
    return {search::LaunchFailed{"there is no reference to check the answer against"}, {}};
  }
  const ArtifactPack artifact = unpack(read_whole_file(request.artifact));
  visit.findings.build_seconds = artifact.build_seconds;
  if (wants(cuda_, CudaFigure::kCeiling)) {
    visit.findings.copy_bytes_per_second = copy_bytes_per_second();
  }
  for (std::size_t i = 0; i < cuda_.cases.size(); ++i) {
    if (auto wrong = visit_case(i, module_of(artifact, i), visit)) {
      visit.report.outcome = *std::move(wrong);
      return visit.report;
    }
  }
  visit.measurement.figures = figures_of(setting_.problem, cuda_, visit.findings);
  const KernelResources& used = visit.findings.cases.front().resources;
  visit.measurement.conditions.emplace_back(
      "kernel", std::to_string(used.registers) + " registers, " + std::to_string(used.local_bytes) +
                    " B local, " + std::to_string(used.shared_bytes) + " B shared");
  visit.report.outcome = search::Measured{std::move(visit.measurement)};
  return visit.report;
}

}  // namespace nightshift::evaluator::cuda
