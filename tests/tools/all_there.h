#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/history/history_report.h"

namespace nightshift::tests {

// Everything of the past is still there, but for what a test takes away. A compiler's word is its
// name and version; a day has a commit.
struct AllThere final : tools::StillThere {
  std::set<std::string> gone;                        // paths, values of compilers, "git"
  std::vector<std::string> beside;                   // other compilers
  std::map<std::string, double> last_commit_before;  // of a file: no commit is newer

  bool has(const std::string& path) override { return !path.empty() && !gone.contains(path); }
  std::string compiler(const search::IdentityPart& of_then) override {
    return gone.contains(of_then.value) ? "" : of_then.name + "-" + of_then.value;
  }
  std::vector<std::string> compilers_beside(const search::IdentityPart&) override { return beside; }
  std::string commit(const std::string& file, double at) override {
    if (gone.contains("git")) return "";
    const auto last = last_commit_before.find(file);
    const double day = last == last_commit_before.end() ? at : std::min(at, last->second);
    return fmt::format("c{:.0f}", day / 86'400);
  }
};

}  // namespace nightshift::tests
