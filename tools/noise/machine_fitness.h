#pragma once

#include <string>
#include <vector>

namespace nightshift::tools {

// Something of the machine that makes figures scatter or drift.
struct Disturber {
  std::string name;    // one word, for scripts: governor, boost, smt, quota, swap, numa, ...
  std::string found;   // what is so, and what it does to figures; a sentence
  std::string change;  // what to do about it; a sentence, empty where nothing can be done
};

// Where the kernel tells of itself; tests have folders of their own.
struct MachineFiles {
  std::string devices = "/sys/devices/system";  // has cpu/ and node/
  std::string supplies = "/sys/class/power_supply";
  std::string processes = "/proc";
  std::string groups = "/sys/fs/cgroup";
};

// What speaks against measuring on these cores now, the worst first: a share of the time that others
// take, clocks that follow load and heat, neighbours on the same core, memory that moves. What the
// kernel does not tell is no finding; nothing throws.
std::vector<Disturber> disturbers_of(const std::vector<int>& cores, const MachineFiles& files = {});

}  // namespace nightshift::tools
