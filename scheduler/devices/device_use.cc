#include "scheduler/devices/device_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/file_text.h"
#include "scheduler/devices/device_lock.h"
#include "scheduler/devices/gpu_discovery.h"
#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {}  // namespace

DeviceUse::DeviceUse(std::vector<Device> devices, std::string evaluator_program)
    : devices_(std::move(devices)),
      evaluator_program_(std::move(evaluator_program)),
      earlier_(core_times(base::text_if_there("/proc/stat"))) {}

std::string DeviceUse::look() {
  for (const Device& device : devices_) {
    if (const auto holder = holder_of(device)) {
      return fmt::format("another nightshift measures on {} (process {})", device.uuid, *holder);
    }
  }
  std::string user = user_of_gpus();
  const std::string work = work_on_cores();  // always, so that the next look is since this one
  return user.empty() ? work : user;
}

std::string DeviceUse::user_of_gpus() const {
  const auto is_gpu = [](const Device& d) { return !d.gpu.uuid.empty(); };
  if (std::ranges::none_of(devices_, is_gpu)) return "";
  for (const Gpu& gpu : discover_gpus(evaluator_program_).gpus) {
    const auto ours = std::ranges::find(devices_, gpu.target.uuid,
                                        [](const Device& device) { return device.gpu.uuid; });
    const std::string users = users_text(gpu);
    if (ours != devices_.end() && !users.empty()) return ours->uuid + " is used by " + users;
  }
  return "";
}

// "cpu3 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...": a line for each core.
DeviceUse::CoreTimes DeviceUse::core_times(std::string_view text) {
  CoreTimes times;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    int core = -1;
    int read = 0;
    // "cpu 100" is the sum of all.
    if (line.size() < 4 || std::isdigit(static_cast<unsigned char>(line[3])) == 0) continue;
    if (std::sscanf(line.c_str(), "cpu%d%n", &core, &read) != 1 || core < 0) continue;
    std::istringstream numbers(line.substr(static_cast<std::size_t>(read)));
    CoreTime time;
    double ticks = 0;
    for (int column = 0; column < 8 && numbers >> ticks; ++column) {
      time.all += ticks;
      if (column != 3 && column != 4) time.busy += ticks;  // idle, and waiting for a disk
    }
    times[core] = time;
  }
  return times;
}

std::string DeviceUse::work_on_cores() {
  const CoreTimes now = core_times(base::text_if_there("/proc/stat"));
  const CoreTimes before = std::exchange(earlier_, now);
  for (const Device& device : devices_) {
    if (!device.gpu.uuid.empty()) continue;  // it is not its cores that are measured
    for (const int core : device.cores) {
      const auto was = before.find(core), is = now.find(core);
      if (was == before.end() || is == now.end()) continue;
      const double all = is->second.all - was->second.all;
      const double busy = is->second.busy - was->second.busy;
      if (all > 0 && busy / all > kBusyShare) {
        return fmt::format("other work keeps core {} busy",
                           core);  // the share would be news each time
      }
    }
  }
  return "";
}

void wait_until_free(const DevicePatience& patience) {
  double waited = 0;
  std::string said;
  while (true) {
    waited += patience.pause();  // cores are watched meanwhile
    const std::string user = patience.look();
    if (user.empty()) return;
    if (waited >= patience.seconds) throw DeviceError(user + ": it was waited for in vain");
    if (user != said) patience.say(user);
    said = user;
  }
}

}  // namespace nightshift::scheduler
