#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "scheduler/observer.h"

namespace nightshift::tools {

// One picture of a study for a terminal of `width` columns and `height` rows.
struct Frame {
  const scheduler::StudyStatus& status;
  const std::string& study_folder;
  const std::deque<std::string>& events;  // oldest first
  std::size_t width = 80;
  std::size_t height = 24;
  bool colour = false;
};

// The lines of the picture, each ended by "\n": never more than height - 1 lines of at most width -
// 1 columns, so that the terminal neither wraps nor scrolls. With less room the events go first,
// then devices. Pure.
std::string render(const Frame& frame);

}  // namespace nightshift::tools
