#include "tools/profile/profile_run.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "evaluator/profile.h"
#include "scheduler/errors.h"
#include "tools/compare/contest.h"
#include "tools/evaluator_program.h"
#include "tools/temporary_folder.h"
#include "tools/ward.h"

namespace nightshift::tools {
namespace {

// Each trial once, on the first device.
class EachOnce final : public scheduler::EvaluationPlan {
 public:
  explicit EachOnce(const std::vector<NamedTrial>& trials)
      : trials_(trials), measured_(trials.size()) {}

  std::optional<scheduler::PlannedEvaluation> next(scheduler::DeviceIndex device) override {
    if (device != 0 || done_ == trials_.size()) return std::nullopt;
    return scheduler::PlannedEvaluation{done_};
  }
  void ended(scheduler::DeviceIndex, const scheduler::PlannedEvaluation& evaluation,
             const scheduler::TrialEnd& end) override {
    const auto* measured = std::get_if<search::Measured>(&end.report.outcome);
    if (measured == nullptr) {
      throw scheduler::StudyError(fmt::format("{} failed: {}", trials_[evaluation.contender].name,
                                              search::describe(end.report.outcome)));
    }
    measured_[done_++] = measured->measurement;
  }
  void lost(scheduler::DeviceIndex device, const std::string& reason) override {
    if (device == 0) throw scheduler::DeviceError(reason);
  }

  std::size_t done() const { return done_; }
  const search::Measurement& measured(std::size_t trial) const { return measured_[trial]; }

 private:
  const std::vector<NamedTrial>& trials_;
  std::vector<search::Measurement> measured_;
  std::size_t done_ = 0;
};

void count(const ipc::ConfigureRequest& setting, const ipc::EvaluateRequest& request,
           ProfileReport& report, ProfiledTrial& trial) {
  const WardOfAll ward;
  const evaluator::Profile profile = evaluator::profile(setting, request);
  report.profiler = profile.program;
  trial.untold = profile.untold.empty()
                     ? add_counters(read_profiler_table(profile.table), trial.cases)
                     : profile.untold;
}

}  // namespace

std::optional<ProfileReport> profiled(search::Problem problem,
                                      const std::vector<NamedTrial>& trials,
                                      const ProfileTerms& terms) {
  problem.sampling.timed = search::Timed::kEachLaunch;
  const TemporaryFolder folder;
  Contest contest(problem, terms.devices, folder.artifacts(), folder.path());
  EachOnce plan(trials);
  std::vector<scheduler::Contender> contenders;
  for (const NamedTrial& trial : trials) contenders.push_back({trial.name, trial.configuration});
  const auto progress = [&] {
    return fmt::format("{} of {} measured", plan.done(), trials.size());
  };
  if (!contest.run(plan, contenders, progress)) return std::nullopt;

  const scheduler::Device& device = contest.devices().front();
  ProfileReport report;
  report.device = device.key() + " (" + device.name + ")";
  report.rounds = problem.sampling.samples;
  std::vector<std::string> sizes;
  for (const auto& one : std::get<search::CudaBackend>(problem.backend).cases) {
    sizes.push_back(search::words_of(one));
  }
  const std::uint64_t seed = problem.scheduling.seed;
  const ipc::ConfigureRequest setting{
      problem, folder.artifacts(), folder.scratch(), evaluator_program(), seed, device.gpu, true};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const search::Measurement& measured = plan.measured(i);
    ProfiledTrial trial{trials[i].name,
                        trials[i].configuration,
                        contest.artifact(i),
                        measured.condition(search::kCeilingsCondition),
                        profiled_cases(measured.launches, sizes),
                        ""};
    const ipc::EvaluateRequest request{
        trial.configuration, trial.artifact, contest.reference(), seed, problem.sampling, 0};
    if (terms.counters) count(setting, request, report, trial);
    report.trials.push_back(std::move(trial));
  }
  return report;
}

}  // namespace nightshift::tools
