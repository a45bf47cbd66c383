#include "evaluator/cuda/clocks/clock_keeper.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <utility>

#include "evaluator/cuda/clocks/clock_file.h"
#include "evaluator/cuda/clocks/clock_settings.h"
#include "ipc/stop_signals.h"
#include "ipc/system_call.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr int kLine = 3;

struct Request {
  std::string folder;
  bool strict = false;
  ClockSettings settings;
  std::vector<std::string> uuids;
};

std::optional<Request> parse(const std::vector<std::string>& arguments) {
  constexpr std::size_t kBeforeUuids = 5;
  if (arguments.size() <= kBeforeUuids || (arguments[1] != "0" && arguments[1] != "1")) {
    return std::nullopt;
  }
  Request request{arguments[0], arguments[1] == "1", {}, {}};
  unsigned* const numbers[] = {&request.settings.sm_mhz, &request.settings.memory_mhz,
                               &request.settings.power_mw};
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    const std::string& text = arguments[2 + i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *numbers[i]);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  }
  request.uuids.assign(arguments.begin() + kBeforeUuids, arguments.end());
  return request;
}

// The parent may be dead already: no SIGPIPE, and nobody to be told.
void say(const std::string& line) {
  std::string text = line;
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  text += '\n';
  (void)ipc::retry_interrupted(
      [&] { return ::send(kLine, text.data(), text.size(), MSG_NOSIGNAL); });
}

void wait_for_the_end() {
  char byte = 0;
  (void)ipc::retry_interrupted([&] { return ::read(kLine, &byte, 1); });
}

// A GPU whose settings were changed, or are about to be.
struct Held {
  std::string uuid;
  ClockSetter setter;
  ClockFile file;
  ClockUndo undo;
};

class Keeper {
 public:
  explicit Keeper(Request request) : request_(std::move(request)) {}
  int run();

 private:
  // What went wrong; empty where nothing did.
  std::string take(const std::string& uuid);
  std::string set(Held& held) const;
  bool restore_all();

  Request request_;
  std::vector<Held> held_;
};

std::string Keeper::take(const std::string& uuid) {
  std::string why;
  std::optional<ClockFile> file = ClockFile::open(request_.folder, uuid, why);
  if (!file) return why;
  ClockSetter setter(uuid);
  if (const auto left = file->left_over()) {
    const std::string wrong = setter.restore(*left);
    if (!wrong.empty()) return "what an earlier run had set could not be restored: " + wrong;
  }
  file->clear();
  if (!request_.settings.any()) return "";
  held_.push_back({uuid, std::move(setter), *std::move(file), {}});
  return set(held_.back());
}

std::string Keeper::set(Held& held) const {
  std::string wrong = held.setter.prepare(request_.settings, held.undo);
  if (!wrong.empty()) {
    held.undo = {};
    return wrong;
  }
  if (!held.file.write(held.undo)) {
    held.undo = {};
    return "what undoes the settings could not be written down";
  }
  wrong = held.setter.apply(request_.settings, held.undo);
  return wrong.empty() ? held.setter.verify(request_.settings) : wrong;
}

bool Keeper::restore_all() {
  bool all = true;
  for (Held& held : held_) {
    const std::string wrong = held.setter.restore(held.undo);
    if (wrong.empty()) {
      held.file.clear();
    } else {
      say("warning " + held.uuid + " could not be restored: " + wrong);
      all = false;
    }
  }
  held_.clear();
  return all;
}

int Keeper::run() {
  for (const std::string& uuid : request_.uuids) {
    const std::string wrong = take(uuid);
    if (wrong.empty()) continue;
    if (request_.strict) {
      say("failed " + uuid + ": " + wrong);
      (void)restore_all();
      return 1;
    }
    say("warning " + uuid + ": " + wrong);
  }
  say("ready");
  if (!request_.settings.any()) return 0;
  wait_for_the_end();
  return restore_all() ? 0 : 1;
}

}  // namespace

int run_clock_keeper(const std::vector<std::string>& arguments) {
  std::optional<Request> request = parse(arguments);
  if (!request) return 2;
  ipc::ignore_run_signals();
  ::close_range(kLine + 1, ~0U, 0);
  if (::chdir("/") != 0) return 1;  // holds no file system of the user's
  return Keeper(*std::move(request)).run();
}

}  // namespace nightshift::evaluator::cuda
