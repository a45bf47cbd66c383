#include <nlohmann/json.hpp>
#include <optional>

#include "scheduler/summary/batch_summary.h"
#include "scheduler/summary/study_standing.h"
#include "tools/batch/report/batch_status.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using scheduler::BatchRecord;
using scheduler::BatchStudyRecord;

ordered_json optional_json(const std::optional<double>& value) {
  return value ? number_json(*value) : ordered_json(nullptr);
}

ordered_json optional_json(const std::optional<std::string>& text) {
  return text ? ordered_json(one_line(*text)) : ordered_json(nullptr);
}

ordered_json claim_json(const std::optional<scheduler::BatchClaim>& claim, bool holds) {
  if (!claim) return nullptr;
  return {{"ratio", number_json(claim->ratio)},       {"interval", interval_json(claim->interval)},
          {"confidence", claim->interval.confidence}, {"p", number_json(claim->p_value)},
          {"level", number_json(claim->level)},       {"joint", holds}};
}

ordered_json shortage_json(const std::optional<scheduler::BatchShortage>& shortage) {
  if (!shortage) return nullptr;
  ordered_json left = ordered_json::array();
  for (const std::string& study : shortage->left) left.push_back(one_line(study));
  return {{"given", number_json(shortage->seconds)},
          {"whole", number_json(shortage->whole_seconds)},
          {"left", left}};
}

ordered_json study_json(const BatchStudyRecord& study, const std::string& batch, bool holds,
                        const std::string& unread) {
  const scheduler::BatchProgressRow told = study.progress.value_or(scheduler::BatchProgressRow{});
  return {{"name", one_line(study.terms.name)},
          {"folder", one_line(batch + "/" + study.terms.name)},
          {"problem", one_line(study.terms.problem)},
          {"state", name_of(study.state)},
          {"reason", one_line(study.reason)},
          {"since", number_json(study.since)},
          {"began", optional_json(study.began)},
          {"ended", optional_json(study.ended)},
          {"activity", one_line(told.activity)},
          {"trials", {{"done", told.trials}, {"measured", told.measured}, {"failed", told.failed}}},
          {"accepted", told.accepted},
          {"best", optional_json(told.best)},
          {"incumbent", optional_json(told.incumbent)},
          {"elapsed", number_json(told.elapsed)},
          {"limit", told.limit > 0 ? number_json(told.limit) : ordered_json(nullptr)},
          {"budget_used", number_json(told.budget_used)},
          {"claim", claim_json(study.claim, holds)},
          {"unread", unread.empty() ? ordered_json(nullptr) : ordered_json(one_line(unread))}};
}

}  // namespace

ordered_json batch_status_json(const BatchView& view) {
  const BatchRecord& record = view.record;
  const scheduler::BatchSummary summary = scheduler::summarise(record, view.now);
  const scheduler::BatchRunRecord run =
      record.runs.empty() ? scheduler::BatchRunRecord{} : record.runs.back();
  ordered_json queue = ordered_json::object();
  for (std::size_t s = 0; s < summary.studies.size(); ++s) {
    queue[std::string(scheduler::kBatchStudyStates[s])] = summary.studies[s];
  }
  ordered_json devices = ordered_json::array(), studies = ordered_json::array();
  for (const scheduler::BatchDeviceRecord& device : record.devices) {
    devices.push_back({{"device", one_line(device.uuid)},
                       {"model", one_line(device.model)},
                       {"study", one_line(device.study)},
                       {"activity", one_line(device.activity)},
                       {"busy_seconds", number_json(device.busy_seconds)}});
  }
  for (std::size_t s = 0; s < record.studies.size(); ++s) {
    studies.push_back(study_json(record.studies[s], view.folder, summary.holds[s],
                                 s < view.unread.size() ? view.unread[s] : ""));
  }
  return {{"folder", one_line(view.folder)},
          {"name", one_line(record.name)},
          {"state", name_of(summary.state)},
          {"process", optional_json(record.writer)},
          {"started", record.runs.empty() ? ordered_json(nullptr) : number_json(run.started)},
          {"deadline", optional_json(run.deadline)},
          {"reason", one_line(run.reason)},
          {"queue", queue},
          {"claims", {{"own", summary.claims}, {"joint", summary.holding}}},
          {"trials",
           {{"done", summary.trials}, {"measured", summary.measured}, {"failed", summary.failed}}},
          {"time", shortage_json(summary.shortage)},
          {"devices", devices},
          {"studies", studies}};
}

ordered_json study_status_json(const StudyView& view) {
  const scheduler::StudyOutline& outline = view.outline;
  const scheduler::History& history = outline.history;
  const scheduler::RunState state = scheduler::run_state_of(history);
  const scheduler::Winner winner = scheduler::winner_of(history);
  ordered_json hold_out = nullptr;
  if (winner.hold_out != nullptr) {
    const search::Verdict& verdict = winner.hold_out->verdict;
    const bool trusted = scheduler::distrust_of(history).empty();
    hold_out = {{"ratio", number_json(verdict.ratio)},
                {"interval", interval_json(verdict.interval)},
                {"confidence", verdict.interval.confidence},
                {"p", number_json(verdict.p_value)},
                {"accepted", trusted && search::is_accepted(verdict)},
                {"reason", one_line(search::reason_of(verdict.acceptance))}};
  }
  return {{"folder", one_line(view.folder)},
          {"problem", one_line(history.header.problem_name)},
          {"state", state.status},
          {"process", optional_json(history.writer)},
          {"reason", one_line(state.reason)},
          {"begun", number_json(history.header.created)},
          {"trials",
           {{"done", outline.evaluations},
            {"measured", outline.measured},
            {"skipped", outline.skipped},
            {"failed", outline.failed},
            {"in_flight", outline.in_flight}}},
          {"accepted", winner.duels},
          {"best", optional_json(outline.best)},
          {"elapsed", number_json(history.run_seconds)},
          {"hold_out", hold_out}};
}

}  // namespace nightshift::tools
