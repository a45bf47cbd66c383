// Whether a time is that of the work: the part of CudaEvaluator that doubts it.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/rng.h"
#include "evaluator/answers/verification.h"
#include "evaluator/cuda/ceilings.h"
#include "evaluator/cuda/cuda_draws.h"
#include "evaluator/cuda/cuda_evaluator.h"
#include "evaluator/cuda/launch/left_alone.h"
#include "evaluator/sampling/doubt_time.h"
#include "search/element_type.h"
#include "search/figures/audit_condition.h"
#include "search/statistics/summary.h"

namespace nightshift::evaluator::cuda {

namespace {

constexpr double kAuditShare = 0.02;  // of the time that measuring takes

}  // namespace

// Of an answer that is right as far as it can be told from poison. Arithmetic may give NaN of the same
// bits, so the kernel runs again on numbers, and then as before.
std::optional<search::TrialOutcome> CudaEvaluator::check_unwritten(const Case& one,
                                                                   KernelModule& module,
                                                                   const CasePlan& plan) {
  DeviceArguments& arguments = *one.arguments;
  const auto poison = DeviceArguments::poison_of(search::ElementType::kFloat32);
  if (!left_alone(*one.answer, arguments, support_, poison)) return std::nullopt;
  const auto run_again = [&] {
    arguments.restore();
    arguments.reset_work();
    for (const PlannedLaunch& launch : plan.launches) {
      module.launch(launch, arguments.pointers(0), context_.stream());
    }
  };
  arguments.number_outputs();
  run_again();
  if (auto left = left_alone(*one.answer, arguments, support_, kUnwrittenByte)) return *left;
  arguments.poison_outputs();
  run_again();
  return std::nullopt;
}

// Where the request says so, whoever the problem trusts.
std::optional<search::TrialOutcome> CudaEvaluator::audit(
    Case& one, std::size_t which, const PackedModule& packed, KernelModule& module,
    const CasePlan& plan, Evaluation& evaluation, const Checks& checks, const CaseFindings& found) {
  const ipc::EvaluateRequest& request = evaluation.request;
  const search::TrialCost& cost = evaluation.report.cost;
  const bool is_doubted = distrusts() || request.sampling.trust == search::Trust::kNone;
  const double most =
      distrusts() ? 0
                  : seconds_of_pairs(setting_.problem.limits, request, cost.check + cost.measure);
  CudaAudit audit(
      {plan, context_, timer_, support_, evaluation.progress, [this] { clear_cache(); },
       distrusts() ? request.sampling.trust : search::Trust::kUsual, request.seed,
       search::mean_of(found.seconds), cost.measure, most,
       seconds_of_stalls(setting_.problem.limits, cost.measure), request.sampling.cold_cache},
      module, *one.arguments);
  // Usually by lot, so that all that is asked of a candidate costs no more than kAuditShare: in a
  // duel it is evaluated so often that one of them is drawn.
  const double chance = kAuditShare * cost.measure / audit.cost();
  if (!is_doubted && base::Rng(base::mix_seed(request.seed, audits_++)).uniform() >= chance)
    return std::nullopt;
  auto wrong = audit.of_outputs(*one.answer, *checks.right);
  if (!wrong && is_doubted) wrong = audit_unseen(audit, one, which, packed, plan, evaluation);
  if (one.arguments->has_constant_arrays()) one.arguments->fill_constant_arrays(module);
  if (!distrusts()) {  // asked once of each candidate: others need the memory
    one.unseen.reset();
    one.unseen_answer.reset();
  }
  if (is_doubted && evaluation.audit != search::kAuditCutShort) {
    const bool is_cut_short = audit.is_cut_short() || evaluation.draws_cut_short;
    evaluation.audit = is_cut_short ? search::kAuditCutShort : search::kAuditHeld;
  }
  return wrong;
}

std::optional<search::TrialOutcome> CudaEvaluator::impossible_time(const CaseFindings& found) {
  std::string why = impossible(found, search::mean_of(found.seconds), copy_ceiling(), context_);
  if (why.empty()) return std::nullopt;
  return search::LaunchFailed{std::move(why)};
}

// Inputs for sets of `plan`, as many as there is memory for beside an answer. False: for none.
bool CudaEvaluator::provide_unseen(Case& one, const CasePlan& plan, std::size_t sets,
                                   Evaluation& evaluation) {
  const bool is_new = !one.unseen || !one.unseen->adopt(plan);
  std::uint64_t answer = 0;
  for (const DeviceAnswer::Output& output : one.answer->outputs()) {
    answer += output.expected.elements * sizeof(double);
  }
  const std::uint64_t each = one.arguments->bytes_of_set();
  if (is_new) {
    one.unseen.reset();
    one.unseen_answer.reset();
    if (!context_.has_room_for(each + answer)) {
      evaluation.measurement.conditions.emplace_back("unseen inputs", "none: no memory for them");
      return false;
    }
    one.unseen = std::make_unique<DeviceArguments>(
        cuda_.arguments, plan, base::mix_seed(evaluation.request.seed, 1), context_, support_,
        DeviceArguments::Ways{.fenced = distrusts(), .own_contents = true});
  }
  // An array of constants has the contents of one set.
  if (one.unseen->has_constant_arrays()) return true;
  while (sets > one.unseen->sets() &&
         !context_.has_room_for((sets - one.unseen->sets()) * each + answer)) {
    --sets;
  }
  one.unseen->make_sets(sets);
  return true;
}

std::optional<search::TrialOutcome> CudaEvaluator::audit_unseen(CudaAudit& audit, Case& one,
                                                                std::size_t which,
                                                                const PackedModule& packed,
                                                                const CasePlan& plan,
                                                                Evaluation& evaluation) {
  const ipc::EvaluateRequest& request = evaluation.request;
  if (!provide_unseen(one, plan, audit.sets(), evaluation)) return std::nullopt;
  const PackedModule packed_reference = reference_of(request, which);
  KernelModule reference(packed_reference);
  KernelModule module(packed);
  const auto renew_sets = [&](std::uint64_t seed, std::size_t sets) {
    one.unseen->renew(seed, sets);
    for (std::size_t set = 0; set < sets; ++set) {
      compute_inputs(reference, plan, *one.unseen, set);
    }
  };
  const auto renew = [&](std::uint64_t seed) {
    renew_sets(seed, std::min(audit.sets(), one.unseen->sets()));
  };
  const auto answer = [&](std::uint64_t seed, std::size_t set) -> const DeviceAnswer& {
    const std::uint64_t key = base::mix_seed(seed, set);
    if (one.unseen_answer && one.unseen_seed == key) return *one.unseen_answer;
    renew(seed);
    one.unseen_answer = answer_of(packed_reference, reference, *one.unseen, which, plan, set);
    one.unseen_seed = key;
    return *one.unseen_answer;
  };
  const auto load = [&] { return std::make_unique<KernelModule>(packed); };
  if (auto wrong = audit.of_unseen({*one.unseen, module, renew, answer, load})) return wrong;
  if (request.sampling.trust != search::Trust::kNone) return std::nullopt;
  const search::TrialCost& cost = evaluation.report.cost;
  const auto answer_of_draw = [&](std::uint64_t seed) {
    renew_sets(seed, 1);
    DeviceAnswer expected = answer_of(packed_reference, reference, *one.unseen, which, plan);
    if (one.unseen->has_inout()) renew_sets(seed, 1);
    return expected;
  };
  CudaDraws draws({cuda_.arguments, plan, context_, support_, evaluation.progress, request.seed,
                   seconds_of_draws(setting_.problem.limits, request, cost.check + cost.measure),
                   answer_of_draw});
  auto wrong = draws.wrong(*one.answer, *one.arguments, module, *one.unseen);
  evaluation.draws_cut_short = evaluation.draws_cut_short || draws.is_cut_short();
  return wrong;
}

}  // namespace nightshift::evaluator::cuda
