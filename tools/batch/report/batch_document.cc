#include "tools/batch/report/batch_document.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/clock.h"
#include "tools/batch/report/batch_rows.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

Timeline timeline_of(const BatchReport& report) {
  Timeline timeline;
  timeline.title = "Devices, and who had them";
  std::map<std::string, std::size_t> devices, studies;
  for (const scheduler::BatchDeviceRecord& device : report.record.devices) {
    devices.emplace(device.uuid, devices.size());
    timeline.rows.push_back(device.uuid);
  }
  for (const scheduler::BatchStudyRecord& study : report.record.studies) {
    studies.emplace(study.terms.name, studies.size());
    timeline.owners.push_back(study.terms.name);
  }
  const double began = report.summary.began;
  for (const scheduler::BatchTime::Span& run : report.time.runs) {
    timeline.grounds.push_back({scheduler::recorded_seconds(began, run.from),
                                scheduler::recorded_seconds(began, run.until)});
  }
  for (const scheduler::BatchLease& lease : report.time.leases) {
    const auto device = devices.find(lease.device);
    const auto study = studies.find(lease.study);
    if (device == devices.end() || study == studies.end()) continue;
    timeline.bars.push_back({device->second, study->second,
                             scheduler::recorded_seconds(began, lease.from),
                             scheduler::recorded_seconds(began, *lease.until), lease.guest,
                             lease.study + (lease.guest ? ", as a guest, " : ", ") +
                                 format_duration(*lease.until - lease.from)});
  }
  return timeline;
}

using Links = std::map<std::string, std::string>;

Links links_of(const BatchReport& report) {
  Links links;
  for (std::size_t s = 0; s < report.facts.size(); ++s) {
    if (report.facts[s].page.empty()) continue;
    links.emplace(one_line(report.record.studies[s].terms.name), report.facts[s].page);
  }
  return links;
}

Rows whole_configurations(const BatchReport& report) {
  Rows rows;
  for (std::size_t s = 0; s < report.facts.size(); ++s) {
    const BatchStudyFacts& facts = report.facts[s];
    if (!report.record.studies[s].claim || facts.configuration.empty()) continue;
    rows.push_back(
        {report.record.studies[s].terms.name + ", trial " + std::to_string(facts.best_trial),
         facts.configuration});
  }
  return rows;
}

}  // namespace

Document document_of(const BatchReport& report) {
  Document document{"Report of the batch " + report.record.name, "Batch " + report.record.name,
                    claims_text(report.summary),
                    report.summary.holding > 0 ? Mood::kGood : Mood::kPlain};
  const Links links = links_of(report);
  Table others{other_rows(report), {}, links}, failures{failure_rows(report), {}, links};
  std::vector<Block>& blocks = document.blocks;
  blocks = {
      Paragraph{standing_sentence(report)},
      Section{
          "What improved", {Table{improvement_rows(report), kHolds, links}}, Fold::kOpenUntitled},
      Section{"Winners", {Facts{winner_rows(report)}}},
      Section{"Best configurations", {Sentences{whole_configurations(report), true}}}};
  for (std::size_t s = 0; s < report.facts.size(); ++s) {
    blocks.push_back(
        Section{"Pareto front of " + report.record.studies[s].terms.name, report.facts[s].front});
  }
  for (Section section : {
           Section{"What did not, and why", {std::move(others)}},
           Section{"What failed, and how", {std::move(failures)}},
           Section{"Devices", {Table{device_rows(report)}}},
           Section{"To be known", {Facts{notice_rows(report)}, Paragraph{joint_sentence(report)}}},
           Section{"Runs", {Facts{run_rows(report)}}},
           Section{"Where the time went",
                   {Charts{{timeline_of(report)}}, Table{time_rows(report), {}, links}}},
           Section{"How to go on", {Commands{batch_next_steps(report)}}},
       }) {
    blocks.emplace_back(std::move(section));
  }
  return document;
}

}  // namespace nightshift::tools
