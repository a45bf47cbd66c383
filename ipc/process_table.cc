#include "ipc/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
constexpr int kFirstTimeField = 14, kLastTimeField = 17;  // its own, and of children waited for
constexpr int kDeepest = 32;                              // generations

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

// The entries of a folder of /proc that are numbers.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(folder.c_str()));
  if (!directory) return numbers;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (const auto number = parse_number(entry->d_name)) numbers.push_back(*number);
  }
  return numbers;
}

// Each thread has children of its own. None where the kernel does not tell of them.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  for (const pid_t thread : numbers_in(path_of(pid, "task"))) {
    const std::string file = "task/" + std::to_string(thread) + "/children";
    const std::string text = read_file(path_of(pid, file.c_str()));
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t blank = rest.find(' ');
      if (const auto child = parse_number(rest.substr(0, blank))) children.push_back(*child);
      rest.remove_prefix(blank == std::string_view::npos ? rest.size() : blank + 1);
    }
  }
  return children;
}

std::uint64_t ticks_of_tree(pid_t pid, int generations) {
  const std::string stat = read_file(path_of(pid, "stat"));
  std::uint64_t ticks = 0;
  for (int field = kFirstTimeField; field <= kLastTimeField; ++field) {
    ticks += static_cast<std::uint64_t>(parse_number(field_of(stat, field)).value_or(0));
  }
  if (generations == 0) return ticks;
  for (const pid_t child : children_of(pid)) ticks += ticks_of_tree(child, generations - 1);
  return ticks;
}

// False where the process does not tell of its own.
bool add_core_times(pid_t pid, int generations, CoreTimes& sum) {
  bool any = false;
  for (const pid_t thread : numbers_in(path_of(pid, "task"))) {
    const std::string file = "task/" + std::to_string(thread) + "/schedstat";
    const auto times = core_times_in(read_file(path_of(pid, file.c_str())));
    if (!times) continue;
    any = true;
    sum.ran += times->ran;
    sum.waited += times->waited;
  }
  if (generations == 0) return any;
  for (const pid_t child : children_of(pid)) add_core_times(child, generations - 1, sum);
  return any;
}

std::optional<std::uint64_t> peak_memory(pid_t pid, int generations) {
  auto most = peak_memory_in(read_file(path_of(pid, "status")));
  if (!most || generations == 0) return most;
  for (const pid_t child : children_of(pid)) {
    most = std::max(*most, peak_memory(child, generations - 1).value_or(0));
  }
  return most;
}

bool forget_peak_memory(pid_t pid, int generations) {
  constexpr std::string_view kPeak = "5";  // proc(5): reset the peak resident set size
  const UniqueFd file(::open(path_of(pid, "clear_refs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), kPeak.data(), kPeak.size()) < 0) return false;
  if (generations == 0) return true;
  for (const pid_t child : children_of(pid)) forget_peak_memory(child, generations - 1);
  return true;
}

bool has_state(pid_t pid, std::string_view state, int generations) {
  if (field_of(read_file(path_of(pid, "stat")), kStateField) == state) return true;
  if (generations == 0) return false;
  for (const pid_t child : children_of(pid)) {
    if (has_state(child, state, generations - 1)) return true;
  }
  return false;
}

// Where it stands beside groups of the first version it has a folder of its own.
bool has_frozen_events(const std::string& group) {
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    if (read_file(root + group + "/cgroup.events").find("frozen 1") != std::string::npos) {
      return true;
    }
  }
  return false;
}

// By its own group or one around it; 0::PATH is that of the second version, N:freezer:PATH that of
// the first.
bool is_frozen(pid_t pid) {
  const std::string groups = read_file(path_of(pid, "cgroup"));
  std::string_view rest = groups;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const std::size_t path = line.find(":/");
    if (path == std::string_view::npos) continue;
    const std::string group(line.substr(path + 1));
    if (line.starts_with("0::") && has_frozen_events(group)) return true;
    if (line.substr(0, path).ends_with(":freezer") &&
        read_file("/sys/fs/cgroup/freezer" + group + "/freezer.state").starts_with("FROZEN")) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view held_by(pid_t pid) {
  if (has_state(pid, "T", kDeepest)) return "stopped by a signal";
  if (is_frozen(pid)) return "frozen with its control group";
  return has_state(pid, "D", kDeepest) ? kWaitsInTheKernel : "";
}

std::vector<pid_t> all_processes() { return numbers_in("/proc"); }

std::optional<CoreTimes> core_times_in(std::string_view schedstat) {
  constexpr double kNanoseconds = 1e-9;
  std::array<std::uint64_t, 2> numbers{};
  const char* at = schedstat.data();
  const char* const end = at + schedstat.size();
  for (std::uint64_t& number : numbers) {
    while (at != end && *at == ' ') ++at;
    const auto [behind, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) return std::nullopt;
    at = behind;
  }
  return CoreTimes{kNanoseconds * static_cast<double>(numbers[0]),
                   kNanoseconds * static_cast<double>(numbers[1])};
}

std::optional<CoreTimes> core_times_of_tree(pid_t pid) {
  CoreTimes sum;
  if (!add_core_times(pid, kDeepest, sum)) return std::nullopt;
  return sum;
}

std::uint64_t cpu_ticks_of_tree(pid_t pid) { return ticks_of_tree(pid, kDeepest); }

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

std::optional<std::uint64_t> peak_memory_of_tree(pid_t pid) { return peak_memory(pid, kDeepest); }

bool forget_peak_memory_of_tree(pid_t pid) { return forget_peak_memory(pid, kDeepest); }

// "VmHWM:\t    6828 kB\n"; a zombie has no such line.
std::optional<std::uint64_t> peak_memory_in(std::string_view status) {
  constexpr std::string_view kName = "\nVmHWM:";
  constexpr std::uint64_t kUnit = 1024;
  const auto at = status.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  status.remove_prefix(at + kName.size());
  status.remove_prefix(std::min(status.find_first_not_of(" \t"), status.size()));
  std::uint64_t kibibytes = 0;
  const auto [end, error] =
      std::from_chars(status.data(), status.data() + status.size(), kibibytes);
  return error == std::errc{} ? std::optional(kUnit * kibibytes) : std::nullopt;
}

std::string living_name_of(pid_t pid) {
  const std::string stat = read_file(path_of(pid, "stat"));
  const std::string_view state = field_of(stat, kStateField);
  const std::size_t begin = stat.find('('), end = stat.rfind(')');
  const bool has_ended = state.empty() || state == "Z" || state == "X";
  if (has_ended || begin == std::string::npos || begin >= end) return {};
  return stat.substr(begin + 1, end - begin - 1);
}

std::string environment_of(pid_t pid) { return read_file(path_of(pid, "environ")); }

}  // namespace nightshift::ipc
