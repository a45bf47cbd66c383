#include "ipc/warden.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <thread>

#include "ipc/orphans.h"
#include "ipc/stop_signals.h"
#include "ipc/system_call.h"

namespace nightshift::ipc {

namespace {

constexpr int kLine = 3;  // the warden's number for its end
constexpr char kFarewell = 'q';
constexpr int kBetweenLooks = 2000;  // milliseconds

// A folder that it is safe to remove whole: absolute, and neither the root nor directly below it.
bool is_removable(const std::filesystem::path& folder) {
  const auto path = folder.lexically_normal().relative_path();
  return folder.is_absolute() && std::distance(path.begin(), path.end()) >= 2;
}

// Seen to be stopped in two looks in a row, so that who stops it for an instant is not disturbed.
class StoppedParent {
 public:
  void look() {
    const std::optional<Stopped> stop = stopped(parent_);
    const bool is_stopped = stop && is_to_continue(*stop);
    // As long as it is our parent, its number is nobody else's.
    if (is_stopped && was_stopped_ && ::getppid() == parent_) ::kill(parent_, SIGCONT);
    was_stopped_ = is_stopped;
  }

 private:
  const pid_t parent_ = ::getppid();
  bool was_stopped_ = false;
};

// True when the parent said farewell before the line closed.
bool parent_left_well() {
  StoppedParent parent;
  char byte = 0;
  while (true) {
    pollfd line{kLine, POLLIN, 0};
    if (retry_interrupted([&] { return ::poll(&line, 1, kBetweenLooks); }) == 0) {
      parent.look();
      continue;
    }
    const ssize_t n = retry_interrupted([&] { return ::read(kLine, &byte, 1); });
    if (n <= 0) return false;
    if (byte == kFarewell) return true;
  }
}

void wait_for_ends(const std::string& mark, std::chrono::seconds grace) {
  constexpr std::chrono::milliseconds kBetween{20};
  const auto deadline = std::chrono::steady_clock::now() + grace;
  while (std::chrono::steady_clock::now() < deadline && any_marked(mark)) {
    std::this_thread::sleep_for(kBetween);
  }
}

}  // namespace

Warden Warden::start(const std::string& program, const std::string& mark,
                     const std::vector<std::string>& scratch_folders, int grace) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("socketpair");
  const UniqueFd wardens_end(ends[0]);
  Warden warden;
  warden.line_ = UniqueFd(ends[1]);

  SpawnOptions options;
  options.program = program;
  options.arguments = {"--warden", mark, std::to_string(grace)};
  options.arguments.insert(options.arguments.end(), scratch_folders.begin(), scratch_folders.end());
  options.descriptors = {{wardens_end.get(), kLine}};
  // Without this run's mark, or that of a run around this one whose warden would kill ours.
  options.environment = {{kRunMark, ""}};
  options.new_session = true;
  warden.process_ = ChildProcess::spawn(options);
  return warden;
}

void Warden::farewell() noexcept {
  if (!line_) return;
  // The warden may be dead already: no SIGPIPE for us.
  (void)retry_interrupted([&] { return ::send(line_.get(), &kFarewell, 1, MSG_NOSIGNAL); });
  line_.reset();
  pollfd death{process_.pidfd(), POLLIN, 0};
  (void)retry_interrupted([&] { return ::poll(&death, 1, 1000); });
  (void)process_.destroy(std::chrono::milliseconds{1000});
}

bool is_to_continue(const Stopped& stop) { return stop.signal == SIGSTOP || !stop.has_terminal; }

int run_warden(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return 2;
  const std::string& mark = arguments[0];
  const int grace = std::atoi(arguments[1].c_str());
  ignore_run_signals();
  ::close_range(kLine + 1, ~0U, 0);
  if (::chdir("/") != 0) return 1;  // holds no file system of the user's
  if (parent_left_well()) return 0;

  wait_for_ends(mark, std::chrono::seconds(grace));
  (void)kill_marked(mark);
  bool removed_all = true;
  for (auto folder = arguments.begin() + 2; folder != arguments.end(); ++folder) {
    if (!is_removable(*folder)) {
      removed_all = false;
      continue;
    }
    std::error_code error;
    std::filesystem::remove_all(*folder, error);
    if (error) removed_all = false;
  }
  return removed_all ? 0 : 1;
}

}  // namespace nightshift::ipc
