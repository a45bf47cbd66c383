#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "tools/document/document.h"
#include "tools/exit_code.h"

namespace nightshift::tools {

// What a recheck took and how it ended, whatever it asked.
struct Rechecking {
  std::vector<std::string> notices;
  std::size_t unread = 0;  // see RecheckSubjects
  std::size_t evaluations = 0;
  double build_seconds = 0, seconds = 0;
  bool stopped = false;  // by a signal
  std::string
      device_error;  // it ended there, as no device could be used any more; empty: it did not
};

// 7 where it was stopped, 6 where it ended for want of a device; else nullopt.
std::optional<ExitCode> exit_code_of(const Rechecking& run);
// Good: 0 and 10.
Mood mood_of(ExitCode code);
// A sentence or two.
std::string rechecking_text(const Rechecking& run);
// Appends {notices, evaluations, build_seconds, seconds, stopped, device_error (or null)}.
void add_rechecking(nlohmann::ordered_json& object, const Rechecking& run);
nlohmann::ordered_json hash_json(const std::string& hash);  // null where it is empty

}  // namespace nightshift::tools
