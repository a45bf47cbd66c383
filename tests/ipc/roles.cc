#include "roles.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iterator>

#include "ipc/child_prologue.h"
#include "ipc/orphans.h"
#include "ipc/warden.h"
#include "tests/fakes/raw_mailbox.h"

namespace nightshift::ipc::roles {

namespace {

using namespace std::chrono_literals;

void corrupt(ChildMailbox& box, const std::string& mode, const Record& request) {
  if (mode == "two-replies") {
    box.reply(request.header.kind, request.payload);
  } else if (mode == "scribble") {
    for (std::byte& b : RawMailbox::response(box).first(4096)) b = std::byte{0xa5};
    RawMailbox::ring(box);
  }
}

// Serves requests until the parent dies or asks for something else:
//   echo         answers each request with its payload
//   exit-3       leaves with code 3 on the first request
//   kill-9       kills itself on the first request, having marked the phase "measure"
//   reply-die    answers, then kills itself
//   two-replies  answers each request twice
//   scribble     writes nonsense over the response
int mailbox_child(const std::vector<std::string>& arguments) {
  const std::string& mode = arguments.at(1);
  const std::string error = child_prologue(std::stoi(arguments.at(2)), 6, {});
  if (!error.empty()) return 71;
  auto box =
      ChildMailbox::open(UniqueFd(3), UniqueFd(4), UniqueFd(5), std::stoull(arguments.at(3)));
  box.mark(search::Phase::kReady);
  while (true) {
    const auto request = box.wait(1s);
    if (!request) continue;
    if (mode == "exit-3") return 3;
    if (mode == "kill-9") {
      box.mark(search::Phase::kMeasure);
      ::raise(SIGKILL);
    }
    if (mode != "scribble" && !box.reply(request->header.kind, request->payload)) return 72;
    if (mode == "reply-die") ::raise(SIGKILL);
    corrupt(box, mode, *request);
  }
}

// --parent-of-launched COMMAND: starts COMMAND in a shell with the prologue, so that it has the
// death signal; prints its number and waits to be killed.
int parent_of_launched(const std::vector<std::string>& arguments) {
  SpawnOptions options = shell(arguments.at(1));
  options.limits.emplace();
  options.standard_output = 1;
  const ChildProcess child = ChildProcess::spawn(options);
  std::printf("%d\n", child.pid());
  std::fflush(stdout);
  while (true) ::pause();
}

// --parent-of-warden MARK FOLDER COMMAND: starts a warden, then COMMAND in a marked shell that
// shares our standard output, and waits to be killed.
int parent_of_warden(const std::vector<std::string>& arguments) {
  const Warden warden = Warden::start(program(), arguments.at(1), {arguments.at(2)});
  SpawnOptions options = shell(arguments.at(3));
  options.environment = {{"NIGHTSHIFT_RUN", arguments.at(1)}};
  options.standard_output = 1;
  const ChildProcess child = ChildProcess::spawn(options);
  while (true) ::pause();
}

}  // namespace

std::string program() {
  char path[4096];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : std::string{};
}

int play(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return -1;
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "--mailbox-child") return mailbox_child(arguments);
  if (arguments[0] == "--parent-of-launched") return parent_of_launched(arguments);
  if (arguments[0] == "--parent-of-warden") return parent_of_warden(arguments);
  if (arguments[0] == "--orphaned-prologue") {
    (void)child_prologue(::getpid(), 3, {});  // the parent is another
    return 0;
  }
  if (arguments[0] == "--warden") return run_warden(rest);
  if (arguments[0] == "--kill-marked") {
    kill_marked(arguments.at(1));
    return 0;
  }
  return -1;
}

SpawnOptions mailbox_child(const ParentMailbox& box, const std::string& mode) {
  SpawnOptions options;
  options.program = program();
  options.arguments = {"--mailbox-child", mode, std::to_string(::getpid()),
                       std::to_string(box.epoch())};
  options.descriptors = {{box.request_fd(), 3}, {box.response_fd(), 4}, {box.doorbell_fd(), 5}};
  return options;
}

SpawnOptions shell(const std::string& command) {
  SpawnOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", command};
  return options;
}

}  // namespace nightshift::ipc::roles
