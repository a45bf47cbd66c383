#include "ipc/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

#include "ipc/system_call.h"
#include "ipc/unique_fd.h"

namespace nightshift::ipc {

namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::string read_file(const std::string& path) {
  std::string text;
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return text;
  char block[4096];
  while (true) {
    const ssize_t n = retry_interrupted([&] { return ::read(file.get(), block, sizeof block); });
    if (n <= 0) return text;
    text.append(block, static_cast<std::size_t>(n));
  }
}

std::string path_of(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

std::optional<pid_t> parse_pid(std::string_view text) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return pid;
}

}  // namespace

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir("/proc"));
  if (!directory) return pids;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (const auto pid = parse_pid(entry->d_name)) pids.push_back(*pid);
  }
  return pids;
}

// "17 (a name) with ) blanks) S 1 ...": the name is the only field that may hold parentheses.
std::optional<pid_t> parent_of(pid_t pid) {
  const std::string stat = read_file(path_of(pid, "stat"));
  const std::string_view text(stat);
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 >= text.size()) return std::nullopt;
  const auto rest = text.substr(name_end + 4);  // past ") S "
  return parse_pid(rest.substr(0, rest.find(' ')));
}

std::string environment_of(pid_t pid) { return read_file(path_of(pid, "environ")); }

}  // namespace nightshift::ipc
