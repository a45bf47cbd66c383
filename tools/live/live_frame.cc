#include "tools/live/live_frame.h"

#include <algorithm>
#include <vector>

#include "search/scoring.h"
#include "tools/text/format.h"
#include "tools/text/progress_lines.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

using scheduler::DeviceStatus;
using scheduler::StudyStatus;

std::vector<PictureLine> head_lines(const Frame& frame) {
  const StudyStatus& status = frame.status;
  std::vector<PictureLine> lines;
  lines.push_back({"nightshift " + std::string(version()) + "  " + one_line(status.problem->name) +
                       "  " + space_text(status),
                   Style::kBold});
  lines.push_back({"study     " + frame.study_folder, Style::kDim});
  lines.push_back({"now       " + one_line(status.activity)});
  lines.push_back({"time      " + pace_text(status)});
  if (status.budget_used > 0) {
    const std::size_t room = bar_width(frame.size, 10);
    lines.push_back({"budget    " + progress_bar(status.budget_used, room)});
  }
  lines.push_back({"trials    " + trials_text(status)});
  lines.push_back({"best      " + best_text(status) +
                   (status.best_ratio ? " as measured, before confirmation" : "")});
  if (status.best_ratio)
    lines.push_back({"          " + format_configuration(status.best_configuration)});
  if (status.incumbent_ratio) {
    lines.push_back({"accepted  " + accepted_text(status), Style::kGood});
    lines.push_back({"          " + format_configuration(status.incumbent_configuration)});
  } else {
    lines.push_back(
        {"accepted  nothing yet, after " + count_of(status.confirmations, "confirmation")});
  }
  return lines;
}

PictureLine device_line(const DeviceStatus& d, const search::Objective& objective) {
  std::string text = "  " + padded(d.device.uuid, 10) + " ";
  Style style = Style::kPlain;
  switch (d.state) {
    case DeviceStatus::State::kIdle:
      text += padded("idle", 26);
      break;
    case DeviceStatus::State::kMeasuring:
      text += padded("measuring trial " + std::to_string(d.trial.value) + " (" +
                         std::string(search::name_of(d.job)) + ")",
                     26);
      break;
    case DeviceStatus::State::kQuarantined:
      text += padded("QUARANTINED", 26);
      style = Style::kBad;
      break;
  }
  text +=
      d.baseline ? "  baseline " + format_value(*d.baseline, objective.unit) : "  no baseline yet";
  text += "  " + count_of(d.trials, "trial");
  if (!d.device.name.empty()) text += "  " + one_line(d.device.name);
  return {text, style};
}

}  // namespace

std::string render(const Frame& frame) {
  const StudyStatus& status = frame.status;
  const std::size_t rows = frame.size.rows();
  std::vector<PictureLine> lines = head_lines(frame);
  lines.push_back({"devices", Style::kBold});
  for (std::size_t i = 0; i < status.devices.size(); ++i) {
    if (lines.size() + 1 >= rows && i + 1 < status.devices.size()) {
      lines.push_back({"  ... " + count_of(status.devices.size() - i, "more device")});
      break;
    }
    lines.push_back(device_line(status.devices[i], search::primary_objective(*status.problem)));
  }
  if (!frame.events.empty() && lines.size() + 2 <= rows) {
    const std::size_t room = std::min(frame.events.size(), rows - lines.size() - 1);
    lines.push_back({"events", Style::kBold});
    for (std::size_t i = frame.events.size() - room; i < frame.events.size(); ++i) {
      lines.push_back({"  " + frame.events[i], Style::kDim});
    }
  }
  return picture_of(lines, frame.size);
}

}  // namespace nightshift::tools
