#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/journal/batch_record.h"

namespace nightshift::tools {

// What a watched batch is read with, so that it is read only when something changed.
struct BatchSource {
  // Throws JournalError.
  std::function<scheduler::BatchRecord()> load;
  // Differs from what it was whenever something was written.
  std::function<std::string()> version;
  // By study, why its journal cannot be told from; empty where it can. None: nobody is to look.
  std::function<std::vector<std::string>(const scheduler::BatchRecord&)> unread = {};
};

// Of the batch in a folder.
BatchSource source_of(const std::string& folder);

// A batch on the terminal's second screen, drawn anew where something changed. The last picture
// stays on the first screen when this goes. Arrows, j and k, Page Up and Down move through the
// studies.
class BatchScreen {
 public:
  // `source` and `clock` outlive it.
  BatchScreen(int terminal, std::string folder, const BatchSource& source,
              const scheduler::Clock& clock);
  ~BatchScreen();
  BatchScreen(const BatchScreen&) = delete;
  BatchScreen& operator=(const BatchScreen&) = delete;

  // Draws, and waits so long for a key. False: it was q.
  bool step(int milliseconds);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Shows a batch twice a second until q is pressed or a stop signal comes (SIGINT, SIGTERM, SIGHUP).
void watch_on_screen(int terminal, const std::string& folder, const BatchSource& source,
                     const scheduler::Clock& clock);

// Prints each event that comes as a line, and each journal that cannot be told from any more, until
// no process is at the batch any more or a stop signal comes. `shown` events are known already, and
// so is what could not be read when it begins.
void watch_in_lines(std::FILE* out, std::size_t shown, const BatchSource& source,
                    const scheduler::Clock& clock);

}  // namespace nightshift::tools
