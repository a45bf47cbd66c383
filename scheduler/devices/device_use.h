#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/devices/device.h"

namespace nightshift::scheduler {

// Who uses devices now, besides this process.
class DeviceUse {
 public:
  // Cores that other work keeps busy for more than this share of the time are in use.
  static constexpr double kBusyShare = 0.25;

  DeviceUse(std::vector<Device> devices, std::string evaluator_program);

  // The first that was found, in a sentence: another nightshift, another process on a GPU, other
  // work on a core since the last look. Empty: nobody.
  std::string look();

  struct CoreTime {
    double busy = 0, all = 0;  // since the machine started, in ticks
  };
  using CoreTimes = std::map<int, CoreTime>;
  // Of each core, from the text of /proc/stat. What is not understood is left out.
  static CoreTimes core_times(std::string_view text);

 private:
  std::string user_of_gpus() const;
  std::string work_on_cores();

  std::vector<Device> devices_;
  std::string evaluator_program_;
  CoreTimes earlier_;
};

// How somebody waits for devices.
struct DevicePatience {
  double seconds = 0;                           // at most
  std::function<std::string()> look;            // who has them, as DeviceUse::look()
  std::function<void(const std::string&)> say;  // told of each user once, when it is met
  std::function<double()> pause;                // between two looks; returns how long it took
};
// Until nobody has them. Throws DeviceError that names the last user once the time is over.
void wait_until_free(const DevicePatience& patience);

}  // namespace nightshift::scheduler
