#include "evaluator/machine_state.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace nightshift::evaluator {

std::string own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return "unknown";
  std::string text;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) text += (text.empty() ? "" : ",") + std::to_string(core);
  }
  return text;
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

}  // namespace nightshift::evaluator
