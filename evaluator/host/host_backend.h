#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/backend.h"

namespace nightshift::evaluator {

class CacheEviction;
class HostArguments;
class HostBuilder;
class HostReference;
class KernelLibrary;
struct ArgumentShape;

// C++ kernels compiled by the system compiler and timed on the cores that this process is pinned
// to. build() in a builder makes the artifact; evaluate() in an evaluator loads it, checks it
// against the reference, and measures. Time is the only figure.
class HostTrialBackend final : public TrialBackend {
 public:
  // Throws std::runtime_error where the objective is not a time to be minimised.
  explicit HostTrialBackend(const ipc::ConfigureRequest& request);
  ~HostTrialBackend() override;
  HostTrialBackend(const HostTrialBackend&) = delete;
  HostTrialBackend& operator=(const HostTrialBackend&) = delete;

  ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress) override;
  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               ProgressSink& progress) override;
  // The candidate left something changed in this process that the next one would meet.
  bool spent() const override { return spent_; }

 private:
  search::TrialReport measured(const ipc::EvaluateRequest& request, ProgressSink& progress);
  std::optional<search::TrialOutcome> audited(const ipc::EvaluateRequest& request,
                                              const std::vector<ArgumentShape>& shapes,
                                              const KernelLibrary& library,
                                              HostArguments& arguments,
                                              const search::Measurement& measured,
                                              ProgressSink& progress);

  search::Problem problem_;
  search::HostBackend host_;
  std::string artifact_folder_, scratch_folder_;
  double units_per_second_ = 1;
  std::unique_ptr<HostBuilder> builder_;
  std::unique_ptr<HostReference> reference_;
  std::unique_ptr<CacheEviction> eviction_;
  bool spent_ = false;
};

}  // namespace nightshift::evaluator
