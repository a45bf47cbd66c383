#include <cstddef>
#include <map>
#include <string>

#include "tools/batch/report/batch_report.h"
#include "tools/batch/report/batch_rows.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"
#include "tools/text/html_page.h"
#include "tools/text/svg_timeline.h"

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
    timeline.grounds.push_back({run.from - began, run.until - began});
  }
  for (const scheduler::BatchLease& lease : report.time.leases) {
    const auto device = devices.find(lease.device);
    const auto study = studies.find(lease.study);
    if (device == devices.end() || study == studies.end()) continue;
    timeline.bars.push_back({device->second, study->second, lease.from - began,
                             *lease.until - began, lease.guest,
                             lease.study + (lease.guest ? ", as a guest, " : ", ") +
                                 format_duration(*lease.until - lease.from)});
  }
  return timeline;
}

}  // namespace

std::string batch_report_page(const BatchReport& report) {
  HtmlLinks links;
  for (std::size_t s = 0; s < report.facts.size(); ++s) {
    if (report.facts[s].page.empty()) continue;
    links.emplace(one_line(report.record.studies[s].terms.name), report.facts[s].page);
  }
  const char* mood = report.summary.holding > 0 ? "good" : "plain";
  std::string head = std::string("<p class=\"verdict ") + mood + "\">" +
                     html_text(claims_text(report.summary)) + "</p>\n";
  for (const std::string& sentence : head_sentences(report)) head += html_paragraph(sentence);
  std::string steps;
  for (const auto& [command, what] : batch_next_steps(report)) {
    steps += "# " + what + "\n" + command + "\n";
  }
  std::string all_fronts;
  for (const BatchFront& front : fronts(report)) {
    all_fronts += html_section(front.title, html_table(front.rows) + html_paragraph(front.words));
  }
  const std::string chart = svg_timeline(timeline_of(report));
  const Rows notices = notice_rows(report);
  const std::string body =
      head + html_section("What improved", html_table(improvement_rows(report), kHolds, links)) +
      html_section("Winners", html_facts(winner_rows(report))) + all_fronts +
      html_section("What did not, and why", html_table(other_rows(report), {}, links)) +
      html_section("What failed, and how", html_table(failure_rows(report), {}, links)) +
      html_section("Devices", html_table(device_rows(report))) +
      html_section("To be known", html_facts(notices)) +
      html_section("Runs", html_facts(run_rows(report))) +
      html_section("Where the time went", chart + html_table(time_rows(report), {}, links)) +
      html_section("How to go on", steps.empty() ? "" : "<pre>" + html_block(steps) + "</pre>\n");
  return html_page("Report of the batch " + report.record.name, body);
}

}  // namespace nightshift::tools
