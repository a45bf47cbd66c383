#include "evaluator/host/kernel_threads.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/file_text.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

// Beginnings of names in the table of a shared object's symbols, each behind the end of another.
constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"GOMP_parallel", "OpenMP"},
    {"__kmpc_fork_", "OpenMP"},
    {"_ZN3tbb", "TBB"},
    {"_ZNSt6thread", "threads"},
    {"_ZNSt3__16thread", "threads"},
    {"pthread_create", "threads"},
    {"thrd_create", "threads"},
});

std::string_view threads_in(const std::string& object) {
  for (const auto& [name, what] : kNames) {
    if (object.find('\0' + std::string(name)) != std::string::npos) return what;
  }
  return "";
}

}  // namespace

std::string_view threads_of(const fs::path& artifact) {
  std::error_code error;
  if (!fs::is_directory(artifact, error)) return threads_in(base::text_if_there(artifact.string()));
  for (const fs::directory_entry& entry : fs::directory_iterator(artifact, error)) {
    const std::string_view found = threads_in(base::text_if_there(entry.path().string()));
    if (!found.empty()) return found;
  }
  return "";
}

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

}  // namespace nightshift::evaluator
