#include "tools/live/batch_frame.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>
#include <vector>

#include "scheduler/summary/batch_summary.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchRecord;
using scheduler::BatchState;
using scheduler::BatchStudyRecord;
using scheduler::BatchStudyState;
using scheduler::BatchSummary;
using Lines = std::vector<PictureLine>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Of all studies, by the budget of each.
double share_done(const BatchRecord& record) {
  double done = 0;
  for (const BatchStudyRecord& study : record.studies) {
    const bool goes_on =
        study.state == BatchStudyState::kWaiting || study.state == BatchStudyState::kRunning ||
        study.state == BatchStudyState::kPaused || study.state == BatchStudyState::kInterrupted;
    done += !goes_on ? 1 : study.progress ? std::min(study.progress->budget_used, 1.0) : 0;
  }
  return record.studies.empty() ? 0 : done / static_cast<double>(record.studies.size());
}

Lines head_lines(const BatchFrame& frame, const BatchSummary& summary) {
  const BatchRecord& record = frame.record;
  const bool trouble =
      summary.count(BatchStudyState::kFailed) + summary.count(BatchStudyState::kNotBegun) > 0;
  return {
      {"nightshift " + std::string(version()) + "  batch " + one_line(record.name), Style::kBold},
      {"folder    " + frame.folder, Style::kDim},
      {"now       " + batch_state_text(record, summary, frame.now),
       summary.state == BatchState::kCutOff ? Style::kBad : Style::kPlain},
      {"queue     " + queue_text(summary), trouble ? Style::kBad : Style::kPlain},
      {"budget    " + progress_bar(share_done(record), bar_width(frame.size, 10))},
      {"trials    " + format_count(summary.trials) + " done, " + format_count(summary.measured) +
       " measured, " + format_count(summary.failed) + " failed"},
      {"accepted  " + claims_text(summary), summary.holding > 0 ? Style::kGood : Style::kPlain}};
}

// As many as leave room for the rest.
void add_unread(const BatchFrame& frame, Lines& lines) {
  constexpr std::size_t kMost = 3;
  const std::size_t shown = std::min(frame.unread.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    lines.push_back({(i == 0 ? "unread    " : "          ") + frame.unread[i], Style::kBad});
  }
  const std::size_t left = frame.unread.size() - shown;
  if (left > 0) lines.push_back({"          ... " + format_count(left) + " more", Style::kBad});
}

Lines device_lines(const BatchFrame& frame) {
  Lines lines;
  for (std::string& line : lines_of(device_table(frame.record, frame.size.columns()))) {
    lines.push_back({std::move(line)});
  }
  for (std::size_t d = 0; d < lines.size(); ++d) {
    if (frame.record.devices[d].study.empty()) lines[d].style = Style::kDim;
  }
  return lines;
}

// The first line is the heading.
Lines study_lines(const BatchFrame& frame, const BatchSummary& summary) {
  const BatchRecord& record = frame.record;
  const std::vector<std::size_t> order = shown_order(record);
  Lines lines;
  for (std::string& line : lines_of(study_table(record, summary, frame.size.columns()))) {
    lines.push_back({std::move(line), Style::kBold});
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BatchStudyState state = record.studies[order[i]].state;
    const bool bad = state == BatchStudyState::kFailed || state == BatchStudyState::kNotBegun;
    const bool quiet = state == BatchStudyState::kCompleted || state == BatchStudyState::kWaiting;
    lines[i + 1].style = bad                       ? Style::kBad
                         : summary.holds[order[i]] ? Style::kGood
                         : quiet                   ? Style::kDim
                                                   : Style::kPlain;
  }
  return lines;
}

// The latest that could fit.
Lines event_lines(const BatchFrame& frame) {
  const auto& events = frame.record.events;
  Lines lines;
  for (std::size_t i = events.size() - std::min(events.size(), frame.size.rows());
       i < events.size(); ++i) {
    lines.push_back({"  " + event_text(events[i]), Style::kDim});
  }
  return lines;
}

// How many lines a part with a heading shows: all, or as many as fit and a line that counts the
// rest.
struct Part {
  std::size_t wanted = 0;
  std::size_t given = 0;  // rows, heading included
};

// What is not needed by one goes to the others, studies first.
void divide(std::size_t rows, Part& devices, Part& studies, Part& events) {
  const auto give = [&](Part& part, std::size_t most) {
    const std::size_t more = std::min({most, part.wanted - part.given, rows});
    part.given += more;
    rows -= more;
  };
  const std::size_t all = rows;
  give(devices, std::max<std::size_t>(all / 3, 2));
  give(events, std::max<std::size_t>(all / 4, all > 8 ? 2 : 0));
  for (Part* part : {&studies, &events, &devices}) give(*part, rows);
  if (events.given == 1) events.given = 0;
}

void append(Lines& to, const std::string& heading, Lines lines, std::size_t given) {
  if (given == 0) return;
  to.push_back({heading, Style::kBold});
  const std::size_t room = given - 1;
  const bool all = lines.size() <= room;
  if (!all && room > 0) {
    const std::size_t left = lines.size() - (room - 1);
    lines.resize(room - 1);
    lines.push_back({"  ... " + format_count(left) + " more", Style::kDim});
  }
  if (room == 0) return;
  to.insert(to.end(), lines.begin(), lines.end());
}

}  // namespace

std::string render(const BatchFrame& frame) {
  const BatchSummary summary = scheduler::summarise(frame.record, frame.now);
  Lines lines = head_lines(frame, summary);
  add_unread(frame, lines);
  if (lines.size() >= frame.size.rows()) return picture_of(lines, frame.size);
  Lines devices = device_lines(frame);
  Lines studies = study_lines(frame, summary);
  Lines events = event_lines(frame);
  std::string heading;
  if (!studies.empty()) {
    heading = studies.front().text;
    const std::size_t hidden = std::min(frame.scrolled, studies.size() - 2);  // one stays
    studies.erase(studies.begin(), studies.begin() + 1 + static_cast<std::ptrdiff_t>(hidden));
  }
  const auto wanted = [](const Lines& part) { return part.empty() ? 0 : part.size() + 1; };
  Part of_devices{wanted(devices)}, of_studies{wanted(studies)}, of_events{wanted(events)};
  divide(frame.size.rows() - lines.size(), of_devices, of_studies, of_events);
  append(lines, "devices", std::move(devices), of_devices.given);
  append(lines, heading, std::move(studies), of_studies.given);
  if (of_events.given > 1) {
    const auto shown = static_cast<std::ptrdiff_t>(std::min(events.size(), of_events.given - 1));
    append(lines, "events", Lines(events.end() - shown, events.end()), of_events.given);
  }
  return picture_of(lines, frame.size);
}

}  // namespace nightshift::tools
