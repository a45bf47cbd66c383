#pragma once

#include <string>
#include <vector>

#include "scheduler/journal/batch_record.h"
#include "tools/live/picture.h"

namespace nightshift::tools {

// One picture of a batch for a terminal.
struct BatchFrame {
  const scheduler::BatchRecord& record;
  const std::string& folder;  // as the user would type it
  double now = 0;             // Unix seconds
  PictureSize size;
  // Studies left out at the top of their list, as the keys say.
  std::size_t scrolled = 0;
  std::vector<std::string> unread = {};  // unread_lines()
};

// Queue, claims, what cannot be read, devices, studies and events, each line ended by "\n". Devices
// get a third of the rows and events a quarter at most while studies need the rest. Pure.
std::string render(const BatchFrame& frame);

}  // namespace nightshift::tools
