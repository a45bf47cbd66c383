#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/counters/own_objectives.h"
#include "evaluator/process/artifact_tree.h"

namespace nightshift::evaluator {

class CacheEviction;
class HostArguments;
class HostBuilder;
class HostReference;
class KernelLibrary;
struct ArgumentShape;

// C++ kernels compiled by the system compiler and timed on the cores that this process is pinned
// to. build() in a builder makes the artifact; evaluate() in an evaluator loads it, checks it
// against the reference, and measures: of several cases one after the other, each with inputs of
// its own. Its figures are those of search/figures/own_figure.h.
class HostTrialBackend final : public TrialBackend {
 public:
  // Throws std::runtime_error where an objective is none that a host kernel has, and NotMeasurable
  // where this machine cannot tell it.
  explicit HostTrialBackend(const ipc::ConfigureRequest& request, const Meters& meters = {});
  ~HostTrialBackend() override;
  HostTrialBackend(const HostTrialBackend&) = delete;
  HostTrialBackend& operator=(const HostTrialBackend&) = delete;

  ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress) override;
  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               ProgressSink& progress) override;
  // The candidate left something changed in this process that the next one would meet.
  bool spent() const override { return spent_; }

 private:
  // One evaluation of one case: what it is on, and its inputs.
  struct Case {
    std::filesystem::path artifact, reference;  // shared objects
    std::vector<ArgumentShape> shapes;
    std::uint64_t seed = 0;
  };
  Case case_of(const ipc::EvaluateRequest& request, std::size_t which) const;
  search::TrialReport measured(const ipc::EvaluateRequest& request, ProgressSink& progress);
  // Adds to the cost; the case's measurement, by own names and in base units, or what is wrong.
  std::variant<search::Measurement, search::TrialOutcome> measured_case(
      const ipc::EvaluateRequest& request, std::size_t which, search::TrialCost& cost,
      ProgressSink& progress);
  // What was sampled, and what is wrong with it; `is_refuted`: with the samples alone.
  struct Sampled {
    search::Measurement measurement;
    std::optional<search::TrialOutcome> wrong;
    bool is_refuted = false;
  };
  struct OnArguments {
    const KernelLibrary& library;
    HostArguments& arguments;
    std::chrono::steady_clock::time_point began;
    bool draws_cut_short = false;
  };
  Sampled sampled(const ipc::EvaluateRequest& request, const Case& one, const OnArguments& on,
                  search::TrialCost& cost, ProgressSink& progress);
  // `sampling`: seconds that the samples took.
  void audit(const ipc::EvaluateRequest& request, const Case& one, const OnArguments& on,
             double sampling, Sampled& sampled, ProgressSink& progress);
  struct Answers;
  // Calls the kernel once on poisoned outputs, and says what is wrong with its answer. What is equal
  // to the last answer that was right is not compared again.
  std::optional<search::TrialOutcome> check(const Case& one, const KernelLibrary& library,
                                            HostArguments& arguments, Answers& answers);
  std::optional<search::TrialOutcome> wrong_in(const Case& one, const HostArguments& arguments);
  // After samples that took `measured` seconds.
  std::optional<search::TrialOutcome> check_later(const Case& one, const KernelLibrary& library,
                                                  HostArguments& arguments, double measured);
  void add_still(const ipc::EvaluateRequest& request, const Case& one,
                 search::Measurement& measurement) const;
  // Throws DamagedArtifact.
  void expect_artifact(const std::string& hash);

  search::Problem problem_;
  search::HostBackend host_;
  std::string artifact_folder_, scratch_folder_;
  OwnObjectives objectives_;
  std::optional<HardwareCounters> counters_;
  std::optional<EnergyMeter> energy_;
  double error_ = 0;  // of the case that is measured, the largest that was seen
  std::unique_ptr<HostBuilder> builder_;
  std::unique_ptr<HostReference> reference_;
  std::unique_ptr<CacheEviction> eviction_;
  TreeWatch trees_;  // artifacts of several cases
  bool spent_ = false;
};

}  // namespace nightshift::evaluator
