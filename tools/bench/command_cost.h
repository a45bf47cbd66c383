#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace nightshift::bench {

// The program that stands beside this one.
inline std::string nightshift_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "nightshift";
}

struct CommandCost {
  double seconds = 0;
  double cpu_seconds = 0;
  double megabytes = 0;  // peak of resident memory
};

// Of one run, from its start to its end, without what it prints. Throws where it fails.
inline CommandCost cost_of(const std::vector<std::string>& words) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) {
    throw std::runtime_error(words[0] + " " + words[1] + " failed");
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {wall.count(), seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
          static_cast<double>(used.ru_maxrss) / 1024};
}

// Of seven runs; the least time on a core is what is left of a machine that others load.
inline void print_cost(const std::string& what, const std::vector<std::string>& words) {
  std::vector<double> seconds, cpu;
  double memory = 0;
  for (int i = 0; i < 7; ++i) {
    const CommandCost cost = cost_of(words);
    seconds.push_back(cost.seconds);
    cpu.push_back(cost.cpu_seconds);
    memory = std::max(memory, cost.megabytes);
  }
  std::ranges::sort(seconds);
  fmt::print("{:<24} least {:7.3f} s, median {:7.3f} s, on a core {:7.3f} s, peak {:6.1f} MB\n",
             what, seconds.front(), seconds[seconds.size() / 2], std::ranges::min(cpu), memory);
}

}  // namespace nightshift::bench
