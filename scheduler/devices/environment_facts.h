#pragma once

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ipc/child_process.h"

namespace nightshift::scheduler {

using Facts = std::vector<std::pair<std::string, std::string>>;

// The pieces of capture_environment, on files and programs that tests can stand in for. What cannot
// be found out is empty.

std::string os_name(const std::string& os_release_file);   // PRETTY_NAME of os-release(5)
std::string memory_size(const std::string& meminfo_file);  // "47.1 GiB"
// "gpu 0", "gpu 1", ... with model and UUID, and "gpu driver", of a folder like
// /proc/driver/nvidia.
Facts gpu_facts(const std::string& driver_folder);
// "git commit" and, where tracked files were changed since, "git state"; of the repository around
// `folder`.
Facts git_facts(const std::string& folder);
// What a program prints, or empty when it cannot be started, fails, or takes longer than `seconds`.
std::string output_of(const std::string& program, const std::vector<std::string>& arguments,
                      double seconds);
// Waits until `child` is dead, and bounds its output; false when it takes longer than `seconds`.
bool ends_within(ipc::ChildProcess& child, double seconds);
std::string first_line(const std::string& text);

// What `ask` says of `key`: a batch begins many studies, and its devices wait meanwhile. An answer
// stands for `seconds`; `now` is of a clock that starts anywhere.
template <class Answer, class Ask>
const Answer& asked_lately(const std::string& key, double seconds, double now, const Ask& ask) {
  static std::map<std::string, std::pair<double, Answer>> answers;
  const auto known = answers.find(key);
  if (known != answers.end() && now - known->second.first < seconds) return known->second.second;
  return answers.insert_or_assign(key, std::pair(now, ask())).first->second.second;
}
// The same of what does not change while a process runs.
template <class Answer, class Ask>
const Answer& asked_once(const std::string& key, const Ask& ask) {
  return asked_lately<Answer>(key, std::numeric_limits<double>::infinity(), 0, ask);
}
// The first line that a compiler says of itself, asked once.
const std::string& version_of(const std::string& compiler);

}  // namespace nightshift::scheduler
