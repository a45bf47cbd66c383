#include "scheduler/pool/job_end.h"

#include <utility>

namespace nightshift::scheduler {

MeasureDone measure_done(WorkerSlotListener::JobEnd end, DeviceIndex device) {
  MeasureDone done{end.job.trial,     end.job.attempt,     device, {},
                   end.fresh_process, end.killed_by_others};
  if (auto* reply = std::get_if<Reply>(&end.result)) {
    done.report = std::move(std::get<ipc::EvaluatedReply>(*reply).report);
  } else {
    done.report.outcome = std::move(std::get<search::TrialOutcome>(end.result));
  }
  return done;
}

BuildDone build_done(WorkerSlotListener::JobEnd end) {
  BuildDone done{end.job.trial, end.job.attempt, {}, 0, end.fresh_process, end.killed_by_others};
  auto* reply = std::get_if<Reply>(&end.result);
  if (reply == nullptr) {
    done.result = std::move(std::get<search::TrialOutcome>(end.result));
    return done;
  }
  auto& built = std::get<ipc::BuiltReply>(*reply);
  done.seconds = built.seconds;
  if (auto* artifact = std::get_if<ipc::Artifact>(&built.result)) {
    done.result = std::move(*artifact);
  } else {
    done.result = search::TrialOutcome(std::move(std::get<search::BuildFailed>(built.result)));
  }
  return done;
}

}  // namespace nightshift::scheduler
