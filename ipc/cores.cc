#include "ipc/cores.h"

#include <sched.h>

#include <charconv>

namespace nightshift::ipc {

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

std::string core_argument(const std::vector<int>& cores) {
  if (cores.empty()) return "-";
  std::string text;
  for (const int core : cores) text += (text.empty() ? "" : ",") + std::to_string(core);
  return text;
}

std::optional<std::vector<int>> parse_core_argument(std::string_view text) {
  std::vector<int> cores;
  if (text == "-") return cores;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view number = text.substr(0, comma);
    const char* end = number.data() + number.size();
    int core = 0;
    const auto [stop, error] = std::from_chars(number.data(), end, core);
    if (error != std::errc{} || stop != end || core < 0) return std::nullopt;
    cores.push_back(core);
    if (comma == std::string_view::npos) return cores;
    text.remove_prefix(comma + 1);
  }
}

std::string core_ranges(const std::vector<int>& cores, char separator) {
  std::string text;
  for (std::size_t first = 0; first < cores.size();) {
    std::size_t last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += separator;
    text += std::to_string(cores[first]);
    if (last > first) text += "-" + std::to_string(cores[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace nightshift::ipc
