#include "scheduler/devices/environment.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include "base/text.h"
#include "ipc/child_process.h"
#include "scheduler/devices/device.h"
#include "scheduler/devices/environment_facts.h"
#include "scheduler/devices/kernel_file.h"

#ifndef NIGHTSHIFT_VERSION
#error "scheduler/CMakeLists.txt defines NIGHTSHIFT_VERSION"
#endif

namespace nightshift::scheduler {

namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 5;  // seconds that a program may take to say its version
// Seconds. What git says takes 75 ms in a tree of thousands of files, and a service begins a study a
// second.
constexpr double kStateStands = 10;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string os_name(const std::string& os_release_file) {
  std::string name = value_in(os_release_file, "PRETTY_NAME", '=');
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

std::string memory_size(const std::string& meminfo_file) {
  const double kibibytes = std::strtod(value_in(meminfo_file, "MemTotal", ':').c_str(), nullptr);
  return kibibytes > 0 ? fmt::format("{:.1f} GiB", kibibytes / (1 << 20)) : "";
}

Facts gpu_facts(const std::string& driver_folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (fs::directory_iterator entry(fs::path(driver_folder) / "gpus", error), end;
       !error && entry != end; entry.increment(error)) {
    files.push_back((entry->path() / "information").string());
  }
  std::sort(files.begin(), files.end());  // by bus address
  Facts facts;
  for (const std::string& file : files) {
    const std::string model = value_in(file, "Model", ':');
    const std::string uuid = value_in(file, "GPU UUID", ':');
    if (!model.empty()) {
      facts.emplace_back(fmt::format("gpu {}", facts.size()), base::trimmed(model + " " + uuid));
    }
  }
  const std::string driver =
      value_in((fs::path(driver_folder) / "version").string(), "NVRM version", ':');
  if (!driver.empty()) facts.emplace_back("gpu driver", driver);
  return facts;
}

bool ends_within(ipc::ChildProcess& child, double seconds) {
  using std::chrono::milliseconds;
  constexpr int kLook = 200;  // milliseconds
  const auto deadline =
      std::chrono::steady_clock::now() + milliseconds(static_cast<std::int64_t>(seconds * 1e3));
  while (!child.dead()) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    if (left <= 0) return false;
    pollfd ended{child.pidfd(), POLLIN, 0};
    const int wait = left < kLook ? static_cast<int>(left) + 1 : kLook;
    if (poll(&ended, 1, wait) < 0 && errno != EINTR) return false;
    child.bound_output();
  }
  return true;
}

std::string output_of(const std::string& program, const std::vector<std::string>& arguments,
                      double seconds) {
  try {
    ipc::SpawnOptions options;
    options.program = program;
    options.arguments = arguments;
    // Asking must not write: `git status` would refresh the index of somebody's repository.
    options.environment = {{"GIT_OPTIONAL_LOCKS", "0"}, {"LC_ALL", "C"}};
    ipc::ChildProcess child = ipc::ChildProcess::spawn(options);
    if (!ends_within(child, seconds)) return {};  // its destructor kills it
    const std::optional<ipc::ExitReport> report = child.reap();
    const auto* exited = report ? std::get_if<ipc::Exited>(&*report) : nullptr;
    return exited != nullptr && exited->code == 0 ? child.standard_output() : "";
  } catch (const std::system_error&) {
    return {};
  }
}

std::string first_line(const std::string& text) {
  return std::string(base::trimmed(base::first_line(text)));
}

const std::string& version_of(const std::string& compiler) {
  return asked_once<std::string>(
      compiler, [&] { return first_line(output_of(compiler, {"--version"}, kPatience)); });
}

Facts git_facts(const std::string& folder) {
  constexpr std::string_view kCommit = "# branch.oid ";
  std::istringstream said(output_of(
      "git", {"-C", folder, "status", "--porcelain=v2", "--branch", "--untracked-files=no"},
      kPatience));
  std::string commit;
  int changes = 0;
  for (std::string line; std::getline(said, line);) {
    if (line.starts_with(kCommit)) commit = line.substr(kCommit.size());
    changes += line.starts_with('#') ? 0 : 1;
  }
  if (commit.empty() || commit == "(initial)") return {};
  Facts facts{{"git commit", commit}};
  if (changes > 0)
    facts.emplace_back("git state", fmt::format("{} file(s) changed since", changes));
  return facts;
}

Facts capture_environment(const std::string& problem_file,
                          const std::vector<std::string>& compilers) {
  Facts facts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.emplace_back(name, value);
  };
  utsname names{};
  if (uname(&names) == 0) {
    add("node", names.nodename);
    add("kernel", fmt::format("{} {} {}", names.sysname, names.release, names.machine));
  }
  add("os", os_name("/etc/os-release"));
  add("cpu", cpu_model());
  add("cores", std::to_string(usable_cores().size()));
  add("memory", memory_size("/proc/meminfo"));
  std::string versions;
  for (const std::string& compiler : compilers) {
    const std::string& version = version_of(compiler);
    versions += (versions.empty() || version.empty() ? "" : "; ") + version;
  }
  add("compiler", versions);
  const std::string driver = "/proc/driver/nvidia";
  for (const auto& fact : asked_once<Facts>(driver, [&] { return gpu_facts(driver); })) {
    facts.push_back(fact);
  }
  add("nightshift", NIGHTSHIFT_VERSION);
  std::error_code error;
  const fs::path file = fs::absolute(problem_file, error);
  if (!error && !problem_file.empty()) {
    const std::string folder = file.parent_path().string();
    const auto ask = [&] { return git_facts(folder); };
    for (const auto& fact : asked_lately<Facts>(folder, kStateStands, seconds_now(), ask)) {
      facts.push_back(fact);
    }
  }
  return facts;
}

}  // namespace nightshift::scheduler
