#include "tools/bench/search/memory.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <fstream>

namespace nightshift::bench {
namespace {

// A line such as "VmHWM:  1234 kB" of /proc/self/status, in bytes; 0 where it is not there.
std::size_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == key + ":" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

[[noreturn]] void measure_in_child(int out, const std::string& searcher, const ReplaySpace& space,
                                   const ReplaySettings& settings) {
  int code = 1;
  try {
    const std::size_t before = status_bytes("VmRSS");
    replay(searcher, space, 0, settings);
    const std::size_t peak = status_bytes("VmHWM");
    const std::size_t growth = peak > before ? peak - before : 0;
    code = write(out, &growth, sizeof growth) == sizeof growth ? 0 : 1;
  } catch (const std::exception&) {
    // The replays proper will say what is wrong.
  }
  _exit(code);
}

}  // namespace

std::optional<std::size_t> memory_growth(const std::string& searcher, const ReplaySpace& space,
                                         const ReplaySettings& settings) {
  malloc_trim(0);
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) measure_in_child(ends[1], searcher, space, settings);
  close(ends[1]);
  std::size_t growth = 0;
  const bool complete = child > 0 && read(ends[0], &growth, sizeof growth) == sizeof growth;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (!complete) return std::nullopt;
  return growth;
}

}  // namespace nightshift::bench
