#include "tools/collect/python_hook.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "evaluator/process/outside_kills.h"
#include "ipc/stop_signals.h"
#include "tools/devices/started_command.h"
#include "tools/problem/python_here.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPath = "PYTHONPATH";

}  // namespace

Variables with_hook(Variables own) {
  const std::string folder = python_here().folder;
  if (folder.empty()) {
    throw UsageError(
        "the module of Python (python/nightshift) is not beside this program: install both with "
        "cmake --install");
  }
  const char* set = std::getenv(kPath);
  std::string path = folder + "/nightshift/capture/hook";
  if (set != nullptr && *set != '\0') path += std::string(":") + set;
  own.emplace_back(kPath, std::move(path));
  return own;
}

std::vector<std::string> module_words(const std::vector<std::string>& words) {
  const PythonHere here = python_here();
  std::vector<std::string> all = {"sh", "-c", "exec \"$@\" >&2", "nightshift", "env"};
  if (!here.path.empty()) all.push_back(std::string(kPath) + "=" + here.path);
  all.insert(all.end(), {here.interpreter, "-m", "nightshift"});
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

int module_code(const std::vector<std::string>& words) {
  evaluator::OutsideKills kills;
  evaluator::Unwatched unwatched;
  const auto end = evaluator::Clock::time_point::max();
  while (true) {
    const int code = StartedCommand(words).code();
    const bool stops = ipc::HeldStopSignals().pending();
    if (stops || !kills.again(ipc::Exited{code}, "", end, unwatched)) return code;
  }
}

std::string tuned_file(const std::string& batch) {
  const fs::path given(batch);
  for (const fs::path& path :
       {given, given / "tuned.json", fs::path("batches") / given / "tuned.json"}) {
    std::error_code failed;
    if (fs::is_regular_file(path, failed)) return fs::absolute(path).lexically_normal().string();
  }
  throw UsageError(batch + " has no tuned.json: `nightshift apply " + batch +
                   "` writes it after the batch has run");
}

}  // namespace nightshift::tools
