#include "evaluator/sampling/machine_state.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "ipc/cores.h"

namespace nightshift::evaluator {

std::string own_cores() {
  const std::vector<int> cores = ipc::usable_cores();
  return cores.empty() ? "unknown" : ipc::core_argument(cores);
}

double clock_in_megahertz() {
  const int core = std::max(0, ::sched_getcpu());
  std::ifstream scaling("/sys/devices/system/cpu/cpu" + std::to_string(core) +
                        "/cpufreq/scaling_cur_freq");
  double kilohertz = 0;
  if (scaling >> kilohertz) return kilohertz / 1e3;
  std::ifstream info("/proc/cpuinfo");
  int processor = -1;
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const char* value = line.c_str() + colon + 1;
    if (line.rfind("processor", 0) == 0) processor = std::atoi(value);
    if (processor == core && line.rfind("cpu MHz", 0) == 0) return std::atof(value);
  }
  return 0;
}

double load_average() {
  double load = -1;
  return ::getloadavg(&load, 1) == 1 ? load : -1;
}

long involuntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %%", 100 * share);
  return text.data();
}

}  // namespace nightshift::evaluator
