#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/cuda/cuda_audit.h"
#include "evaluator/cuda/cuda_figures.h"
#include "evaluator/cuda/cuda_measure.h"
#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/device_buffer.h"
#include "evaluator/cuda/driver/device_timer.h"
#include "evaluator/cuda/driver/gpu_watch.h"
#include "evaluator/cuda/launch/device_answer.h"
#include "evaluator/cuda/launch/device_arguments.h"
#include "evaluator/cuda/launch/support_kernels.h"
#include "search/configuration.h"
#include "search/cuda_problem.h"
#include "search/measurement.h"
#include "search/problem/sampling_plan.h"
#include "search/trial.h"

namespace nightshift::evaluator::cuda {

// Checks and measures configurations on one GPU. For each case of the problem: inputs, the expected
// answer, a checked run on poisoned outputs, the measurement, and unless it was given up further
// checked runs. Inputs and answers stay on the device for the next evaluation with the same seed.
class CudaEvaluator {
 public:
  // Makes the context. Throws CudaError, std::runtime_error.
  explicit CudaEvaluator(const ipc::ConfigureRequest& setting);
  CudaEvaluator(const CudaEvaluator&) = delete;
  CudaEvaluator& operator=(const CudaEvaluator&) = delete;

  // Throws CudaError for whatever the driver reports, then or later.
  search::TrialReport evaluate(const ipc::EvaluateRequest& request, ProgressSink& progress);

 private:
  // What is kept of one case from evaluation to evaluation.
  struct Case {
    std::unique_ptr<DeviceArguments> arguments;
    std::optional<DeviceAnswer> answer;
    std::string reference;  // the artifact that the answer is from
    // Of Trust::kNone: inputs that are new to a kernel whenever it meets them, and what one set of
    // them is to become.
    std::unique_ptr<DeviceArguments> unseen;
    std::optional<DeviceAnswer> unseen_answer;
    std::uint64_t unseen_seed = 0;
  };
  struct Evaluation {
    const ipc::EvaluateRequest& request;
    ProgressSink& progress;
    search::TrialReport report;
    EvaluationFindings findings;
    search::Measurement measurement;
    std::string audit;  // what became of it; empty: there was none
    bool draws_cut_short = false;
  };

  std::optional<search::TrialOutcome> evaluate_case(std::size_t which, const PackedModule& packed,
                                                    Evaluation& evaluation);
  // What the checks of one evaluation to one case have found.
  struct Checks {
    std::optional<std::uint64_t> right;  // the checksum of outputs that were judged right
    bool differ = false;                 // two runs on the same inputs had different outputs
    double error = 0;                    // the largest
  };
  std::optional<search::TrialOutcome> check_answer(const Case& one, KernelModule& module,
                                                   const CasePlan& plan, Checks& checks);
  std::optional<search::TrialOutcome> check_unwritten(const Case& one, KernelModule& module,
                                                      const CasePlan& plan);
  std::optional<search::TrialOutcome> check_again(const Case& one, KernelModule& module,
                                                  const CasePlan& plan, bool given_up,
                                                  double measured, Checks& checks);
  std::optional<search::TrialOutcome> spoiled(std::string words);
  void forget_cases();
  void look_after_failure(search::TrialOutcome& outcome);
  search::TrialReport evaluate_all(Evaluation& evaluation);
  std::optional<search::TrialOutcome> audit(Case& one, std::size_t which,
                                            const PackedModule& packed, KernelModule& module,
                                            const CasePlan& plan, Evaluation& evaluation,
                                            const Checks& checks, const CaseFindings& found);
  std::optional<search::TrialOutcome> impossible_time(const CaseFindings& found);
  bool provide_unseen(Case& one, const CasePlan& plan, std::size_t sets, Evaluation& evaluation);
  std::optional<search::TrialOutcome> audit_unseen(CudaAudit& audit, Case& one, std::size_t which,
                                                   const PackedModule& packed, const CasePlan& plan,
                                                   Evaluation& evaluation);
  struct Looks {
    GpuReading before, after;
  };
  Looks measure(Case& one, std::uint32_t which, KernelModule& module, const CasePlan& plan,
                Evaluation& evaluation, CaseFindings& found);
  // Once, between the marks of a profiler.
  void execute_marked(DeviceArguments& arguments, KernelModule& module, const CasePlan& plan);
  void clear_cache();
  void measure_energy(CudaMeasurement& measurement, CaseFindings& found);
  void provide(Case& one, std::size_t which, const CasePlan& plan,
               const ipc::EvaluateRequest& request);
  void compute_inputs(KernelModule& reference, const CasePlan& plan, DeviceArguments& arguments,
                      std::size_t set);
  PackedModule reference_of(const ipc::EvaluateRequest& request, std::size_t which) const;
  CasePlan plan_of(std::size_t which, const search::Configuration& configuration,
                   const PackedModule& packed) const;
  DeviceAnswer answer_of(const PackedModule& packed, KernelModule& reference,
                         DeviceArguments& arguments, std::size_t which, const CasePlan& plan,
                         std::size_t set = 0);
  bool distrusts() const { return setting_.problem.sampling.trust == search::Trust::kNone; }
  double copy_ceiling();  // bytes a second

  ipc::ConfigureRequest setting_;
  const search::CudaBackend& cuda_;
  Context context_;
  SupportKernels support_;
  DeviceTimer timer_;
  GpuWatch watch_;
  std::vector<Case> cases_;
  double copy_ceiling_ = 0;
  std::uint64_t audits_ = 0;  // that were thought of
  DeviceBuffer nobodys_;      // twice the L2 cache
};

}  // namespace nightshift::evaluator::cuda
