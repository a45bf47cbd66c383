#include "scheduler/devices/clock_hold.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "ipc/file_lock.h"
#include "ipc/orphans.h"
#include "ipc/system_call.h"
#include "scheduler/devices/device_lock.h"
#include "scheduler/devices/environment_facts.h"
#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

using std::chrono::steady_clock;

constexpr int kKeepersLine = 3;
// Each setting may take two seconds to settle, and a program thirty to refuse it.
constexpr double kPatience = 120;
constexpr std::size_t kMostBytes = 64 << 10;
constexpr char kFarewell = 'q';

// What a keeper says until it is ready, has failed or has ended.
struct Answer {
  std::vector<std::string> warnings;
  std::string failed;
  bool ready = false;
};

void read_line(std::string_view line, Answer& answer) {
  constexpr std::string_view kWarning = "warning ", kFailed = "failed ";
  if (line == "ready") answer.ready = true;
  if (line.starts_with(kFailed)) answer.failed = line.substr(kFailed.size());
  if (line.starts_with(kWarning)) answer.warnings.emplace_back(line.substr(kWarning.size()));
}

// Until `line` closes, the keeper is ready (where `until_ready`), or patience ends.
Answer listen(int line, bool until_ready) {
  Answer answer;
  std::string text;
  const auto deadline = steady_clock::now() + std::chrono::duration<double>(kPatience);
  while (text.size() < kMostBytes && !(until_ready && answer.ready)) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    pollfd readable{line, POLLIN, 0};
    if (left.count() <= 0 || ipc::retry_interrupted([&] {
                               return ::poll(&readable, 1, static_cast<int>(left.count()));
                             }) <= 0) {
      break;
    }
    char bytes[4096];
    const ssize_t got = ipc::retry_interrupted([&] { return ::read(line, bytes, sizeof bytes); });
    if (got <= 0) break;
    text.append(bytes, static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos;) {
      read_line(std::string_view(text).substr(0, end), answer);
      text.erase(0, end + 1);
    }
  }
  return answer;
}

std::vector<std::string> keeper_arguments(const std::vector<std::string>& uuids,
                                          const search::DeviceSettings& settings,
                                          const std::string& folder) {
  std::vector<std::string> arguments = {"--clock-keeper",
                                        folder,
                                        settings.strict ? "1" : "0",
                                        std::to_string(settings.clock_mhz),
                                        std::to_string(settings.mem_clock_mhz),
                                        std::to_string(std::lround(settings.power_watts * 1000))};
  arguments.insert(arguments.end(), uuids.begin(), uuids.end());
  return arguments;
}

// A file that says something and that no keeper holds.
bool is_left_over(const std::string& folder, const std::string& uuid) {
  return ipc::FileLock::is_left_over(folder + "/clocks-" + uuid);
}

std::pair<ipc::ChildProcess, ipc::UniqueFd> start_keeper(const std::string& program,
                                                         std::vector<std::string> arguments) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    ipc::throw_errno("socketpair");
  }
  const ipc::UniqueFd keepers_end(ends[0]);
  ipc::UniqueFd line(ends[1]);
  ipc::SpawnOptions options;
  options.program = program;
  options.arguments = std::move(arguments);
  options.descriptors = {{keepers_end.get(), kKeepersLine}};
  // Without the mark of any run, whose warden would kill it with the run.
  options.environment = {{ipc::kRunMark, ""}};
  options.new_session = true;
  return {ipc::ChildProcess::spawn(options), std::move(line)};
}

}  // namespace

ClockHold::ClockHold(const std::vector<std::string>& uuids, const search::DeviceSettings& settings,
                     const std::string& evaluator_program, const std::string& folder)
    : uuids_(uuids), evaluator_program_(evaluator_program), folder_(folder) {
  if (!settings.any() || uuids.empty()) return;
  make_private_folder(folder);
  std::tie(keeper_, line_) =
      start_keeper(evaluator_program, keeper_arguments(uuids, settings, folder));
  Answer answer = listen(line_.get(), true);
  warnings_ = std::move(answer.warnings);
  if (answer.ready) return;
  const std::vector<std::string> not_restored = release();
  if (answer.failed.empty()) answer.failed = "the process that sets them ended or does not answer";
  for (const std::string& wrong : not_restored) answer.failed += "; " + wrong;
  throw DeviceError(
      fmt::format("the clocks that were asked for cannot be had: {}; ask for others, or leave out "
                  "\"strict\" to "
                  "measure all the same",
                  answer.failed));
}

ClockHold::~ClockHold() { (void)release(); }

std::vector<int> ClockHold::process_ids() const {
  if (!keeper_) return {};
  return {static_cast<int>(keeper_.pid())};
}

std::optional<std::string> ClockHold::lost() {
  if (!keeper_) return std::nullopt;
  const std::optional<ipc::ExitReport> report = keeper_.reap();
  if (!report) return std::nullopt;
  return "the process that holds the clocks has ended: " + ipc::describe(*report);
}

std::vector<std::string> ClockHold::release() noexcept {
  if (!keeper_) return {};
  std::vector<std::string> wrong;
  try {
    (void)ipc::retry_interrupted([&] { return ::send(line_.get(), &kFarewell, 1, MSG_NOSIGNAL); });
    wrong = listen(line_.get(), false).warnings;
    (void)ends_within(keeper_, kPatience);
    const std::optional<ipc::ExitReport> report = keeper_.reap();
    keeper_ = {};
    line_.reset();
    if (report && std::holds_alternative<ipc::Exited>(*report)) return wrong;
    // It was killed, and its files are there still.
    wrong = restore_clocks(uuids_, evaluator_program_, folder_);
  } catch (const std::exception& e) {
    wrong.emplace_back(e.what());
  }
  return wrong;
}

std::vector<std::string> restore_clocks(const std::vector<std::string>& uuids,
                                        const std::string& evaluator_program,
                                        const std::string& folder) {
  std::vector<std::string> left;
  for (const std::string& uuid : uuids) {
    if (is_left_over(folder, uuid)) left.push_back(uuid);
  }
  if (left.empty()) return {};
  auto [keeper, line] = start_keeper(evaluator_program, keeper_arguments(left, {}, folder));
  std::vector<std::string> wrong = listen(line.get(), false).warnings;
  (void)ends_within(keeper, kPatience);
  return wrong;
}

}  // namespace nightshift::scheduler
