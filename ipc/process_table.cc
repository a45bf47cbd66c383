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

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Of /proc/PID/stat, numbered as in proc(5); the state is the first behind the name.
constexpr int kStateField = 3, kParentField = 4, kTerminalField = 7, kExitCodeField = 52;

// "17 (a name) with ) blanks) S 1 ...": the name is the only field that may hold parentheses.
std::string_view field_of(std::string_view stat, int field) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return {};
  std::string_view rest = stat.substr(name_end + 2);
  for (int at = kStateField; at < field; ++at) {
    const auto blank = rest.find(' ');
    if (blank == std::string_view::npos) return {};
    rest.remove_prefix(blank + 1);
  }
  return rest.substr(0, rest.find_first_of(" \n"));
}

}  // namespace

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir("/proc"));
  if (!directory) return pids;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (const auto pid = parse_number(entry->d_name)) pids.push_back(*pid);
  }
  return pids;
}

std::optional<pid_t> parent_of(pid_t pid) {
  const std::string stat = read_file(path_of(pid, "stat"));
  return parse_number(field_of(stat, kParentField));
}

std::optional<Stopped> stopped_in(std::string_view stat) {
  if (field_of(stat, kStateField) != "T") return std::nullopt;
  Stopped stop;
  stop.has_terminal = parse_number(field_of(stat, kTerminalField)).value_or(0) != 0;
  stop.signal = parse_number(field_of(stat, kExitCodeField)).value_or(0);
  return stop;
}

std::optional<Stopped> stopped(pid_t pid) { return stopped_in(read_file(path_of(pid, "stat"))); }

std::string environment_of(pid_t pid) { return read_file(path_of(pid, "environ")); }

}  // namespace nightshift::ipc
