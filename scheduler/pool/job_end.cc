#include "scheduler/pool/job_end.h"

#include <utility>

namespace nightshift::scheduler {
namespace {

void put(JobEnded& end, ipc::EvaluatedReply&& reply) {
  end.report = std::move(reply.report);
  end.fresh_program = reply.fresh_program;
  end.damaged = std::move(reply.damaged);
}
void put(JobEnded& end, search::TrialOutcome&& outcome) { end.report.outcome = std::move(outcome); }
void put(JobEnded& end, ipc::BuiltReply&& reply) {
  end.report.cost.build = reply.seconds;
  if (auto* artifact = std::get_if<ipc::Artifact>(&reply.result)) {
    end.artifact = std::move(*artifact);
  } else if (auto* held = std::get_if<search::TimedOut>(&reply.result)) {
    end.killed_by_others = true;
    put(end, search::TrialOutcome(std::move(*held)));
  } else {
    put(end, search::TrialOutcome(std::move(std::get<search::BuildFailed>(reply.result))));
  }
}
void put(JobEnded& end, Reply&& reply) {
  std::visit([&](auto& r) { put(end, std::move(r)); }, reply);
}

JobEnded of(const Job& job) {
  JobEnded end;
  end.trial = job.trial;
  end.attempt = job.attempt;
  if (!job.builds()) end.device = job.device;
  return end;
}

}  // namespace

JobEnded end_of(const Job& job, std::variant<Reply, search::TrialOutcome> result) {
  JobEnded end = of(job);
  std::visit([&](auto& r) { put(end, std::move(r)); }, result);
  return end;
}

JobEnded not_begun(const Job& job) {
  JobEnded end = of(job);
  end.not_begun = true;
  return end;
}

}  // namespace nightshift::scheduler
