#pragma once

#include <memory>
#include <string>

#include "evaluator/backend.h"
#include "evaluator/command/command_figures.h"
#include "evaluator/counters/own_objectives.h"
#include "evaluator/process/artifact_tree.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/sampling/device_watch.h"

namespace nightshift::evaluator {

class CommandBuilder;
class CommandServer;
struct CommandRuns;
class ServedProgram;

// Any program, per trial or as a server; see search::CommandBackend. Where it runs is the matter of
// this process, whose cores and visible GPU it inherits, and of the DeviceWatch that it is given.
//
// Per trial the program is started `runs` times, each under Limits::measure, without warm-up (a
// program that needs one does it itself) and without regard to the request's sampling plan. Every
// run adds its samples. What the processor counts and the energy are of each run with all that it
// starts; size and time of the build are of the artifact. Where all of the first run's are beyond
// EvaluateRequest::give_up_above, it is the only one. What a run leaves running is waited for a
// moment, which its wall time has in it where all of it ends by then; else it is killed, and told
// as a condition. Runs whose times are 0 are void and are repeated (void_samples.h). {name} in
// arguments and environment is replaced (search/substitution.h). What it runs may have been built
// before (command_builder.h). A server gets its arguments and environment verbatim and answers once
// per trial, so that there is nothing to give up. A server of protocol 2 is started, and has said
// hello, before the first request: of builds in a builder, of measurements elsewhere. It gets the
// whole request and samples by it itself. An evaluator whose program was killed or has ended is
// spent, as a spare has one that is ready.
class CommandTrialBackend final : public TrialBackend {
 public:
  // Throws std::runtime_error where the problem's commands, names or figures do not make sense, and
  // NotMeasurable where this machine cannot tell one of them.
  CommandTrialBackend(const ipc::ConfigureRequest& request, std::unique_ptr<DeviceWatch> watch,
                      Meters meters = {});
  ~CommandTrialBackend() override;
  CommandTrialBackend(const CommandTrialBackend&) = delete;
  CommandTrialBackend& operator=(const CommandTrialBackend&) = delete;

  ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress) override;
  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               ProgressSink& progress) override;
  bool ran_afresh() const override;
  bool spent() const override;
  void idle() override;

 private:
  search::TrialReport report_of(const ipc::EvaluateRequest& request, ProgressSink& progress);
  search::TrialOutcome run_program(const ipc::EvaluateRequest& request,
                                   ProgressSink& progress) const;
  bool all_above(const search::Measurement& measurement, double limit) const;
  // One of a trial's, which has to end by the deadline.
  RunResult run_within(const LaunchOptions& options, Clock::time_point deadline, CommandRuns& runs,
                       ProgressSink& progress) const;
  RunResult run_once(const LaunchOptions& options, double limit_seconds, CommandRuns& runs,
                     ProgressSink& progress) const;
  RunResult result_of(const ipc::ChildProcess& program, const ipc::ExitReport& report,
                      double wall_seconds, CommandRuns& runs) const;
  void start_served(const ipc::ConfigureRequest& request);
  search::TrialOutcome ask_served(const ipc::EvaluateRequest& request, ProgressSink& progress,
                                  search::TrialCost& cost);
  search::TrialOutcome ask_server(const search::Configuration& configuration,
                                  ProgressSink& progress);

  search::Problem problem_;
  search::CommandBackend command_;
  LaunchOptions launch_;
  std::string scratch_folder_, artifact_folder_;
  TreeWatch trees_;
  FigureRules rules_;
  OwnObjectives own_;
  Meters meters_;
  search::Objective primary_;
  std::unique_ptr<DeviceWatch> watch_;
  std::unique_ptr<CommandServer> server_;
  std::unique_ptr<ServedProgram> served_;  // protocol 2
  std::unique_ptr<CommandBuilder> builder_;
  bool fresh_ = false;  // what it was asked last
};

}  // namespace nightshift::evaluator
