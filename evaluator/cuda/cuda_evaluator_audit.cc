// Whether a time is that of the work: the part of CudaEvaluator that doubts it.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/rng.h"
#include "evaluator/cuda/ceilings.h"
#include "evaluator/cuda/cuda_evaluator.h"
#include "search/statistics/summary.h"

namespace nightshift::evaluator::cuda {

namespace {

constexpr double kAuditShare = 0.02;  // of the time that measuring takes

}  // namespace

std::optional<search::TrialOutcome> CudaEvaluator::audit(
    Case& one, std::size_t which, const PackedModule& packed, KernelModule& module,
    const CasePlan& plan, Evaluation& evaluation, const Checks& checks, const CaseFindings& found) {
  const ipc::EvaluateRequest& request = evaluation.request;
  CudaAudit audit({plan, context_, timer_, support_, evaluation.progress, [this] { clear_cache(); },
                   request.sampling.trust, request.seed, search::mean_of(found.seconds)},
                  module, *one.arguments);
  // Usually by lot, so that all that is asked of a candidate costs no more than kAuditShare: in a
  // duel it is evaluated so often that one of them is drawn.
  const double chance = kAuditShare * evaluation.report.cost.measure / audit.cost();
  if (!distrusts() && base::Rng(base::mix_seed(request.seed, audits_++)).uniform() >= chance)
    return std::nullopt;
  if (auto wrong = audit.of_outputs(*one.answer, *checks.right)) return wrong;
  if (!distrusts()) return std::nullopt;
  return audit_unseen(audit, one, which, packed, plan, evaluation);
}

std::optional<search::TrialOutcome> CudaEvaluator::impossible_time(const CaseFindings& found) {
  std::string why = impossible(found, search::mean_of(found.seconds), copy_ceiling(), context_);
  if (why.empty()) return std::nullopt;
  return search::LaunchFailed{std::move(why)};
}

std::optional<search::TrialOutcome> CudaEvaluator::audit_unseen(CudaAudit& audit, Case& one,
                                                                std::size_t which,
                                                                const PackedModule& packed,
                                                                const CasePlan& plan,
                                                                Evaluation& evaluation) {
  const ipc::EvaluateRequest& request = evaluation.request;
  if (!one.unseen || !one.unseen->adopt(plan)) {
    one.unseen.reset();
    one.unseen_answer.reset();
    if (!context_.has_room_for(one.arguments->bytes_of_set())) {
      evaluation.measurement.conditions.emplace_back("unseen inputs", "none: no memory for them");
      return std::nullopt;
    }
    one.unseen = std::make_unique<DeviceArguments>(
        cuda_.arguments, plan, base::mix_seed(request.seed, 1), context_, support_,
        DeviceArguments::Ways{.fenced = true, .own_contents = true});
  }
  // An array of constants has the contents of one set.
  if (!one.unseen->has_constant_arrays()) one.unseen->make_sets(audit.sets());
  const PackedModule packed_reference = reference_of(request, which);
  KernelModule reference(packed_reference);
  KernelModule module(packed);
  const auto renew = [&](std::uint64_t seed) {
    const std::size_t sets = std::min(audit.sets(), one.unseen->sets());
    one.unseen->renew(seed, sets);
    for (std::size_t set = 0; set < sets; ++set) {
      compute_inputs(reference, plan, *one.unseen, set);
    }
    one.unseen->fill_constant_arrays(module);
  };
  const auto answer = [&](std::uint64_t seed, std::size_t set) -> const DeviceAnswer& {
    const std::uint64_t key = base::mix_seed(seed, set);
    if (one.unseen_answer && one.unseen_seed == key) return *one.unseen_answer;
    renew(seed);
    one.unseen_answer = answer_of(packed_reference, reference, *one.unseen, which, plan, set);
    one.unseen_seed = key;
    return *one.unseen_answer;
  };
  return audit.of_unseen({*one.unseen, module, renew, answer});
}

}  // namespace nightshift::evaluator::cuda
