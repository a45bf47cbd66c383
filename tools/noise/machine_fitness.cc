#include "tools/noise/machine_fitness.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "ipc/cores.h"
#include "scheduler/devices/kernel_file.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

using scheduler::line_in;
using scheduler::number_behind;
using scheduler::number_in;

// Shares since the machine started: below these they are of no concern.
constexpr double kStolen = 0.001;
constexpr double kBusyBeside = 0.5;       // running processes that nobody here started
constexpr double kThrottled = 0.001;      // periods of a control group
constexpr double kSwapInUse = 64 * 1024;  // KiB

class Look {
 public:
  Look(const std::vector<int>& cores, const MachineFiles& files) : cores_(cores), files_(files) {}

  std::vector<Disturber> all() {
    steal();
    quota();
    load();
    battery();
    throttling();
    governor();
    boost();
    siblings();
    swap();
    numa();
    return std::move(found_);
  }

 private:
  void add(const char* name, std::string found, std::string change) {
    found_.push_back({name, std::move(found), std::move(change)});
  }
  fs::path cpu(const std::string& file) const { return fs::path(files_.devices) / "cpu" / file; }
  fs::path process(const std::string& file) const { return fs::path(files_.processes) / file; }
  fs::path of_core(int core, const std::string& file) const {
    return cpu("cpu" + std::to_string(core)) / file;
  }

  void steal();
  void quota();
  void load();
  void battery();
  void throttling();
  void governor();
  void boost();
  void siblings();
  void swap();
  void numa();

  const std::vector<int>& cores_;
  const MachineFiles& files_;
  std::vector<Disturber> found_;
};

void Look::steal() {
  // "cpu user nice system idle iowait irq softirq steal"
  std::istringstream words(line_in(process("stat")));
  std::string name;
  words >> name;
  double all = 0, stolen = 0, ticks = 0;
  for (int column = 0; column < 8 && words >> ticks; ++column) {
    all += ticks;
    if (column == 7) stolen = ticks;
  }
  if (all <= 0 || stolen / all < kStolen) return;
  add("steal",
      fmt::format("This is a virtual machine, and its host gave {:.1f} % of the time since it "
                  "started to others.",
                  100 * stolen / all),
      "Measure on a machine of its own, or on one whose cores are reserved.");
}

void Look::quota() {
  std::istringstream words(line_in(fs::path(files_.groups) / "cpu.max"));
  std::string most;
  double period = 0;
  if (!(words >> most >> period) || most == "max" || period <= 0) return;
  std::istringstream digits(most);
  double microseconds = 0;
  if (!(digits >> microseconds)) return;
  const fs::path state = fs::path(files_.groups) / "cpu.stat";
  const double periods = number_behind(state, "nr_periods").value_or(0);
  const double held = number_behind(state, "nr_throttled").value_or(0);
  std::string found = fmt::format(
      "The control group may use {:g} cores' time, and what needs more is stopped until the next "
      "{:g} ms begin",
      microseconds / period, period / 1000);
  if (periods > 0 && held / periods >= kThrottled) {
    found += fmt::format("; it was in {:.1f} % of them so far", 100 * held / periods);
  }
  add("quota", found + ".", "Give the container whole cores (a cpuset) in place of a quota.");
}

void Look::load() {
  // "0.20 0.18 0.12 1/80 11206"
  std::istringstream words(line_in(process("loadavg")));
  double minute = 0;
  if (!(words >> minute) || minute < kBusyBeside) return;
  add("load",
      fmt::format("Others run here: {:.1f} processes on average in the last minute. They share "
                  "caches, memory and the clock with what is measured.",
                  minute),
      "End them, or measure when they have ended.");
}

void Look::battery() {
  std::error_code error;
  for (fs::directory_iterator entry(files_.supplies, error), end; !error && entry != end;
       entry.increment(error)) {
    if (line_in(entry->path() / "status") != "Discharging") continue;
    add("battery", "The machine runs on its battery, which lowers its clock.", "Plug it in.");
    return;
  }
}

void Look::throttling() {
  double most = 0;
  for (const int core : cores_) {
    most = std::max(
        {most, number_in(of_core(core, "thermal_throttle/core_throttle_count")).value_or(0),
         number_in(of_core(core, "thermal_throttle/package_throttle_count")).value_or(0)});
  }
  if (most <= 0) return;
  add("throttling",
      fmt::format("The processor lowered its clock for heat {:.0f} times since it started.", most),
      "Look after its cooling, or hold the clock lower.");
}

void Look::governor() {
  std::set<std::string> others;
  std::vector<int> where;
  for (const int core : cores_) {
    const std::string name = line_in(of_core(core, "cpufreq/scaling_governor"));
    if (name.empty() || name == "performance") continue;
    others.insert(name);
    where.push_back(core);
  }
  if (where.empty()) return;
  add("governor",
      fmt::format("The clock of cores {} follows their load (governor {}).",
                  ipc::core_ranges(where, ','), fmt::join(others, ", ")),
      "Run: sudo cpupower frequency-set -g performance");
}

void Look::boost() {
  const bool intel = line_in(cpu("intel_pstate/no_turbo")) == "0";
  const bool others = line_in(cpu("cpufreq/boost")) == "1";
  if (!intel && !others) return;
  add("boost",
      "Cores go beyond their nominal clock as heat and their neighbours allow, which scatters by "
      "some percent.",
      intel ? "Run: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
            : "Run: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
}

void Look::siblings() {
  std::set<std::string> shared;
  for (const int core : cores_) {
    const std::string names = line_in(of_core(core, "topology/thread_siblings_list"));
    if (names.find_first_of(",-") != std::string::npos) shared.insert(names);
  }
  if (shared.empty()) return;
  const std::size_t named = 4;
  std::vector<std::string> first(
      shared.begin(),
      std::next(shared.begin(), static_cast<std::ptrdiff_t>(std::min(named, shared.size()))));
  add("smt",
      fmt::format("Two threads share each core ({}{}): what runs on the other one takes a part of "
                  "it.",
                  fmt::join(first, "; "), shared.size() > named ? "; ..." : ""),
      "Leave the other thread idle (taskset of what else runs), or run: echo off | sudo tee "
      "/sys/devices/system/cpu/smt/control");
}

void Look::swap() {
  const fs::path memory = process("meminfo");
  const std::optional<double> total = number_behind(memory, "SwapTotal:");
  const std::optional<double> left = number_behind(memory, "SwapFree:");
  if (!total || !left || *total - *left < kSwapInUse) return;
  add("swap",
      fmt::format("{:.1f} GiB of memory are swapped out: touching them again takes "
                  "milliseconds.",
                  (*total - *left) / (1 << 20)),
      "End what needs the memory, then run: sudo swapoff -a && sudo swapon -a");
}

void Look::numa() {
  std::error_code error;
  int nodes = 0;
  for (fs::directory_iterator entry(fs::path(files_.devices) / "node", error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    nodes += name.size() > 4 && name.rfind("node", 0) == 0 && name[4] >= '0' && name[4] <= '9';
  }
  if (nodes < 2 || line_in(process("sys/kernel/numa_balancing")) != "1") return;
  add("numa",
      fmt::format("Memory has {} nodes, and the kernel moves pages between them while programs "
                  "run.",
                  nodes),
      "Run: echo 0 | sudo tee /proc/sys/kernel/numa_balancing, or start under numactl --membind");
}

}  // namespace

std::vector<Disturber> disturbers_of(const std::vector<int>& cores, const MachineFiles& files) {
  return Look(cores, files).all();
}

}  // namespace nightshift::tools
