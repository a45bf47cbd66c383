#include "tools/text/batch_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

#include "scheduler/clock.h"
#include "scheduler/journal/batch_terms_text.h"
#include "scheduler/summary/batch_time.h"
#include "tools/text/format.h"
#include "tools/text/short_names.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchRecord;
using scheduler::BatchState;
using scheduler::BatchStudyRecord;
using scheduler::BatchStudyState;
using scheduler::BatchSummary;

std::string times_digits(double ratio) {
  if (!(ratio > 0) || !std::isfinite(ratio)) return "?";
  const double times = 1 / ratio;
  return times < 10 ? fmt::format("{:.3f}", times) : format_number(times);
}

// Those with a heading alone.
void drop_empty_columns(Rows& rows) {
  for (std::size_t c = rows.front().size(); c-- > 0;) {
    const bool empty =
        std::all_of(rows.begin() + 1, rows.end(), [c](const auto& row) { return row[c].empty(); });
    if (!empty) continue;
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

// Of the same day as `now` without the date.
std::string moment(double at, double now) {
  const std::string date = format_date(at);
  const std::size_t day = std::string("2025-01-31 ").size();
  return date.substr(0, day) == format_date(now).substr(0, day) ? date.substr(day) : date;
}

// Of an event, which does not know how many studies there are.
std::string told_shortage(const std::string& json) {
  const auto shortage = scheduler::shortage_from_json(json);
  if (!shortage) return "";
  if (shortage->left.empty()) return "the time serves all studies";
  return "the time does not serve " + format_count(shortage->left.size()) +
         (shortage->left.size() == 1 ? " study" : " studies") + ", which " +
         format_duration(shortage->whole_seconds) + " in all would";
}

bool has_ended(BatchStudyState state) {
  return state == BatchStudyState::kCompleted || state == BatchStudyState::kFailed ||
         state == BatchStudyState::kCancelled || state == BatchStudyState::kNotBegun;
}

std::string cut(const std::string& lines, std::size_t columns) {
  if (columns == std::string::npos) return lines;
  std::istringstream in(lines);
  std::string text;
  for (std::string line; std::getline(in, line);) text += fit(line, columns) + "\n";
  return text;
}

// A third of the row, since the others have more to say; all where rows are whole.
std::size_t width_of_names(std::size_t columns, std::size_t least) {
  return columns == std::string::npos ? columns : std::max(columns / 3, least);
}

std::string running_text(const BatchRecord& record, double now) {
  std::string text = "running as process " + one_line(*record.writer);
  if (record.runs.empty()) return text;
  const scheduler::BatchRunRecord& run = record.runs.back();
  text += " since " + moment(run.started, now);
  if (!run.deadline) return text;
  const double left = *run.deadline - now;
  text += ", until " + moment(*run.deadline, now);
  return text + (left > 0 ? " (" + format_duration(left) + " left)" : "");
}

// Studies of `nightshift serve` judge candidates. Of others nobody would be answered by a batch.
const char* how_to_go_on(const BatchRecord& record) {
  const bool is_night =
      std::ranges::any_of(record.studies, [](const scheduler::BatchStudyRecord& study) {
        return std::ranges::any_of(study.terms.overrides, [](const auto& set) {
          return set.first.starts_with("judged.");
        });
      });
  return is_night ? "; `nightshift serve` with the same --night goes on"
                  : "; `nightshift batch run` with its folder goes on";
}

}  // namespace

std::string format_times(double ratio) { return times_digits(ratio) + "x"; }

std::string format_times(double ratio, const search::Interval& interval) {
  return format_times(ratio) + " [" + times_digits(interval.high) + ", " +
         times_digits(interval.low) + "]";
}

std::string batch_state_text(const BatchRecord& record, const BatchSummary& summary, double now) {
  const std::string at = format_date(summary.ended);
  const std::string after = ", after " + format_duration(scheduler::batch_seconds(record, now));
  switch (summary.state) {
    case BatchState::kNotBegun:
      return "not begun";
    case BatchState::kRunning:
      return running_text(record, now);
    case BatchState::kCutOff:
      return "cut off at " + at + after + how_to_go_on(record);
    case BatchState::kInterrupted: {
      const std::string reason = one_line(record.runs.back().reason);
      return "interrupted at " + at + after + (reason.empty() ? "" : ": " + reason) +
             how_to_go_on(record);
    }
    case BatchState::kCompleted:
      break;
  }
  return "completed at " + at + after;
}

std::string queue_text(const BatchSummary& summary) {
  // Those that somebody waits for first.
  constexpr BatchStudyState kOrder[] = {BatchStudyState::kRunning,   BatchStudyState::kWaiting,
                                        BatchStudyState::kPaused,    BatchStudyState::kCompleted,
                                        BatchStudyState::kFailed,    BatchStudyState::kInterrupted,
                                        BatchStudyState::kCancelled, BatchStudyState::kNotBegun};
  std::string text;
  std::size_t all = 0;
  for (const BatchStudyState state : kOrder) {
    const std::size_t count = summary.count(state);
    all += count;
    if (count == 0) continue;
    text += (text.empty() ? ": " : ", ") + format_count(count) + " " + std::string(name_of(state));
  }
  return (all == 1 ? "1 study" : format_count(all) + " studies") + text;
}

std::string claims_text(const BatchSummary& summary) {
  if (summary.claims == 0) {
    const bool over = summary.state == BatchState::kCompleted;
    return over ? "no improvement was confirmed" : "no improvement is confirmed yet";
  }
  const std::size_t alone = summary.claims - summary.holding;
  std::string text = summary.holding == 1 ? "1 improvement holds over the whole batch"
                                          : format_count(summary.holding) +
                                                " improvements hold over the whole batch";
  if (alone > 0) {
    text += ", " + format_count(alone) +
            (alone == 1 ? " is shown by its own study alone" : " are shown by their studies alone");
  }
  return text;
}

std::vector<std::string> unread_lines(const BatchRecord& record,
                                      const std::vector<std::string>& unread) {
  std::vector<std::string> lines;
  for (std::size_t s = 0; s < std::min(unread.size(), record.studies.size()); ++s) {
    if (unread[s].empty()) continue;
    lines.push_back(one_line(record.studies[s].terms.name) + ": " + one_line(unread[s]));
  }
  return lines;
}

std::string shortage_text(const scheduler::BatchShortage& shortage, std::size_t studies) {
  constexpr std::size_t kMostNames = 8;
  const std::size_t left = shortage.left.size();
  std::string text =
      fmt::format("the time ({}) serves {} of {} studies, {} would serve all",
                  format_duration(shortage.seconds), studies - std::min(left, studies),
                  format_count(studies), format_duration(shortage.whole_seconds));
  for (std::size_t i = 0; i < std::min(left, kMostNames); ++i) {
    text += (i == 0 ? "; left: " : ", ") + one_line(shortage.left[i]);
  }
  return left > kMostNames ? text + " and " + format_count(left - kMostNames) + " more" : text;
}

std::string best_cell(const BatchStudyRecord& study) {
  return study.progress && study.progress->best ? format_times(*study.progress->best) : "";
}

Room room_of(std::size_t columns) { return columns < 110 ? Room::kScant : Room::kAmple; }

std::string accepted_cell(const BatchStudyRecord& study, bool holds, Room room) {
  if (study.claim) {
    const std::string claim = room == Room::kScant
                                  ? format_times(study.claim->ratio)
                                  : format_times(study.claim->ratio, study.claim->interval);
    return claim + (holds ? "" : kAlone);
  }
  const bool won = study.progress && study.progress->accepted > 0 && study.progress->incumbent;
  const bool goes_on = study.state != BatchStudyState::kCompleted;
  return won && goes_on ? format_times(*study.progress->incumbent) + " so far" : "";
}

std::string time_cell(const BatchStudyRecord& study, Room room) {
  if (!study.progress || study.progress->elapsed <= 0) return "";
  const std::string used = format_duration(study.progress->elapsed);
  const bool limited = room == Room::kAmple && study.progress->limit > 0 &&
                       study.state != BatchStudyState::kCompleted;
  return limited ? used + " of " + format_duration(study.progress->limit) : used;
}

std::string state_cell(const BatchStudyRecord& study) {
  std::string text(name_of(study.state));
  const bool begun = study.progress && study.progress->budget_used > 0;
  if (study.state == BatchStudyState::kRunning && begun) {
    text += fmt::format(" {:.0f} %", std::floor(100 * std::min(study.progress->budget_used, 1.0)));
  }
  return text;
}

std::string what_cell(const BatchRecord& record, const BatchStudyRecord& study) {
  const bool runs = study.state == BatchStudyState::kRunning;
  if (runs) return study.progress ? one_line(study.progress->activity) : "";
  if (!study.reason.empty()) return one_line(study.reason);
  if (study.state != BatchStudyState::kWaiting) return "";
  std::string text;
  for (const BatchStudyRecord& other : record.studies) {
    const auto& after = study.terms.after;
    const bool named = std::ranges::find(after, other.terms.name) != after.end();
    if (!named || has_ended(other.state)) continue;
    text += (text.empty() ? "after " : ", ") + one_line(other.terms.name);
  }
  return text;
}

std::string shift_text(std::string_view event) {
  const double shift = scheduler::shift_from_text(event);
  if (std::abs(shift) < scheduler::kLeastShift) {
    return "the machine's clock agrees with the times of this run again";
  }
  return "the machine's clock was set: it is " + format_duration(std::abs(shift)) +
         (shift > 0 ? " ahead of" : " behind") +
         " the times of this run, which go on as they began";
}

std::string event_text(const scheduler::BatchEventRecord& event) {
  const std::string clock = format_date(event.at).substr(std::string("2025-01-31 ").size());
  const std::string study = one_line(event.study);
  std::string text = one_line(event.text);
  if (event.kind == scheduler::kNodesEvent) {
    text = text.empty() ? "measured on this machine" : "measured on nodes: " + text;
  }
  if (event.kind == scheduler::kShortageEvent) text = told_shortage(event.text);
  if (event.kind == scheduler::kClockEvent) text = shift_text(event.text);
  return clock + " " + (study.empty() ? "" : study + ": ") + text;
}

std::vector<std::size_t> shown_order(const BatchRecord& record) {
  const auto rank = [&](std::size_t s) {
    switch (record.studies[s].state) {
      case BatchStudyState::kRunning:
        return 0;
      case BatchStudyState::kFailed:
      case BatchStudyState::kInterrupted:
      case BatchStudyState::kPaused:
        return 1;
      case BatchStudyState::kWaiting:
        return 2;
      default:
        return 3;
    }
  };
  std::vector<std::size_t> order(record.studies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

std::string study_table(const BatchRecord& record, const BatchSummary& summary,
                        std::size_t columns) {
  if (record.studies.empty()) return "";
  const Room room = room_of(columns);
  std::vector<std::string> names;
  for (const BatchStudyRecord& study : record.studies) names.push_back(study.terms.name);
  names = short_names(std::move(names), width_of_names(columns, 24));
  const std::string first = "studies";
  Rows rows = {{first, "state", "trials", "best", "accepted", "time", "what"}};
  for (const std::size_t s : shown_order(record)) {
    const BatchStudyRecord& study = record.studies[s];
    rows.push_back({names[s], state_cell(study),
                    study.progress ? format_count(study.progress->trials) : "", best_cell(study),
                    accepted_cell(study, summary.holds[s], room), time_cell(study, room),
                    what_cell(record, study)});
  }
  drop_empty_columns(rows);
  const std::string text = table(rows, 2);
  // The heading stands two to the left of what it heads.
  return cut(first + "  " + text.substr(2 + first.size()), columns);
}

std::string device_table(const BatchRecord& record, std::size_t columns) {
  std::vector<std::string> names;
  for (const scheduler::BatchDeviceRecord& device : record.devices) names.push_back(device.uuid);
  names = short_names(std::move(names), width_of_names(columns, 20));
  Rows rows;
  for (std::size_t d = 0; d < record.devices.size(); ++d) {
    const scheduler::BatchDeviceRecord& device = record.devices[d];
    const bool works = record.writer && !device.study.empty();
    rows.push_back({names[d], works ? one_line(device.study) : "idle", one_line(device.activity)});
  }
  return cut(table(rows, 2), columns);
}

}  // namespace nightshift::tools
