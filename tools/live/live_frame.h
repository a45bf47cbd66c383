#pragma once

#include <deque>
#include <string>

#include "scheduler/observer.h"
#include "tools/live/picture.h"

namespace nightshift::tools {

// One picture of a study for a terminal.
struct Frame {
  const scheduler::StudyStatus& status;
  const std::string& study_folder;
  const std::deque<std::string>& events;  // oldest first
  PictureSize size;
};

// The lines of the picture, each ended by "\n". With less room the events go first, then devices.
// Pure.
std::string render(const Frame& frame);

}  // namespace nightshift::tools
