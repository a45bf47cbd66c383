#include "tools/compare/output_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/child_prologue.h"
#include "ipc/orphans.h"
#include "ipc/poller.h"
#include "ipc/stop_signals.h"
#include "ipc/system_call.h"
#include "ipc/unique_fd.h"
#include "scheduler/errors.h"
#include "tools/temporary_folder.h"
#include "tools/text/format.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"
#include "tools/ward.h"

namespace nightshift::tools {
namespace {

constexpr std::uint64_t kEnded = 1, kSignal = 2;
constexpr int kNotRunnable = 126, kNotFound = 127;  // of a shell
constexpr std::size_t kMostWords = 1000;
constexpr std::chrono::milliseconds kLook{200};  // between two looks at how much was printed

ipc::UniqueFd created(const std::string& path) {
  ipc::UniqueFd file(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (!file) ipc::throw_errno("making " + path);
  return file;
}

struct Ended {
  ipc::ExitReport report;
  std::string output, error;
};

// Runs programs of the user, one after another, under a ward.
class Runs {
 public:
  explicit Runs(double limit_seconds) : limit_(limit_seconds), ward_({folder_.path()}) {}

  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  // nullopt: a signal ended it. `output` < 0: what it prints is kept.
  std::optional<Ended> run(const std::string& name, const std::vector<std::string>& words,
                           int output) const;

 private:
  TemporaryFolder folder_;
  double limit_;
  Ward ward_;
};

std::optional<Ended> Runs::run(const std::string& name, const std::vector<std::string>& words,
                               int output) const {
  ipc::SpawnOptions options;
  options.program = words.at(0);
  options.arguments.assign(words.begin() + 1, words.end());
  options.limits.emplace();
  options.environment = {{ipc::kRunMark, ward_.mark()}};
  options.standard_output = output;
  options.output_grows = true;
  ipc::Poller poller;
  poller.watch_signals(ipc::stop_signals_not_ignored(), kSignal);
  ipc::ChildProcess child;
  try {
    child = ipc::ChildProcess::spawn(options);
  } catch (const std::runtime_error& e) {
    throw scheduler::StudyError(name + " failed: " + e.what());
  }
  poller.add(child.pidfd(), kEnded);
  StatusLine status;
  status.show("checking outputs: " + name);
  const auto deadline = ipc::Poller::Clock::now() +
                        std::chrono::milliseconds(static_cast<std::int64_t>(limit_ * 1e3));
  while (!child.dead() && ipc::Poller::Clock::now() < deadline) {
    for (const std::uint64_t token :
         poller.wait(std::min(deadline, ipc::Poller::Clock::now() + kLook))) {
      if (token == kSignal) return std::nullopt;
    }
    child.bound_output();
  }
  const std::optional<ipc::ExitReport> report = child.reap();
  if (!report) {
    throw scheduler::StudyError(name + " took longer than " + format_duration(limit_) +
                                " (limits.measure)");
  }
  return Ended{*report, child.standard_output(), child.standard_error()};
}

int code_of(const Ended& ended) {
  const auto* exited = std::get_if<ipc::Exited>(&ended.report);
  return exited != nullptr ? exited->code : -1;
}

// How it ended and what it said, in a line.
std::string words_of(const Ended& ended) {
  const std::string said = one_line(ended.output + ended.error);
  return ipc::describe(ended.report) + (said.empty() ? "" : ": " + said.substr(0, kMostWords));
}

}  // namespace

OutputCheck check_outputs(const TwoCommands& commands, const std::string& check,
                          double limit_seconds) {
  const std::array<const std::vector<std::string>*, 2> sides{&commands.first, &commands.second};
  const Runs runs(limit_seconds);
  const std::array<std::string, 2> files{runs.file("first"), runs.file("second")};
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const std::string name =
        (side == 0 ? "the first (" : "the second (") + shell_text(*sides[side]) + ")";
    const auto ended = runs.run(name, *sides[side], created(files[side]).get());
    if (!ended) return OutputCheck::kStopped;
    if (code_of(*ended) != 0) throw scheduler::StudyError(name + " failed: " + words_of(*ended));
  }
  const std::string name = "--check " + shell_text({check});
  const std::vector<std::string> words{"sh",         "-c",     check + " \"$@\"",
                                       "nightshift", files[0], files[1]};
  const auto ended = runs.run(name, words, -1);
  if (!ended) return OutputCheck::kStopped;
  const int code = code_of(*ended);
  if (code == kNotRunnable || code == kNotFound) {
    throw UsageError(name + " cannot be run: " + words_of(*ended));
  }
  if (code != 0) {
    throw scheduler::StudyError("the outputs of the two commands do not agree: " + name +
                                " ended with " + words_of(*ended) + "; nothing was measured");
  }
  return OutputCheck::kAgree;
}

}  // namespace nightshift::tools
