#include "tools/problem/problem_source.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <variant>

#include "evaluator/process/outside_kills.h"
#include "ipc/child_process.h"
#include "ipc/cores.h"
#include "ipc/stop_signals.h"
#include "ipc/system_call.h"
#include "problems/batch_file.h"
#include "tools/problem/description_queue.h"
#include "tools/problem/own_journal.h"
#include "tools/problem/python_here.h"
#include "tools/problem/python_imports.h"
#include "tools/text/format.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

// A machine that reads torch and what else a file imports for the first time needs most of a
// minute.
constexpr std::chrono::seconds kPatience{180};
constexpr std::chrono::milliseconds kLook{200};  // between two pictures of the wait
constexpr std::chrono::seconds kLong{3};         // what took longer is told when it is over
constexpr std::size_t kMostOutput = 4 << 20;
constexpr std::size_t kMostAtOnce =
    16;  // files that are read at a time: an import of torch takes 0.5 GB
constexpr const char* kDescribe = "describe";

[[noreturn]] void fail(const std::string& file, const std::string& words) {
  throw problems::ProblemFileError({{file, 0, 0, words}});
}

void say_what_took_long(const std::string& what, std::chrono::duration<double> waited) {
  if (waited < kLong) return;
  std::fprintf(stderr, "nightshift: %s took %s, which is no part of a budget\n",
               one_line(what).c_str(), format_duration(waited.count()).c_str());
}

// What the module itself says beside a description that it has made.
void pass_on_notes(const std::string& words) {
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("nightshift: ")) std::fprintf(stderr, "%s\n", one_line(line).c_str());
  }
}

// False where it takes too long. Who waits is told what for, and how long it was.
bool ends_in_time(ipc::ChildProcess& child, const std::string& file) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const std::string what = "reading " + file + " and what it imports";
  StatusLine status;
  while (true) {
    pollfd wait{child.pidfd(), POLLIN, 0};
    const int look = static_cast<int>(kLook.count());
    const bool ended = ipc::retry_interrupted([&] { return ::poll(&wait, 1, look); }) != 0;
    const std::chrono::duration<double> waited = Clock::now() - begin;
    child.bound_output();
    if (ended) {
      status.clear();
      say_what_took_long(what, waited);
      return true;
    }
    if (waited >= kPatience) return false;
    status.show(what + ", " + format_duration(waited.count()));
  }
}

// What a child that has ended says of a file. `killed`: how often one was before, as OutsideKills tells
// it. Throws ProblemFileError.
std::string described(ipc::ChildProcess& child, const std::string& file,
                      const std::string& killed) {
  const auto end = child.reap();
  const auto* exited = end ? std::get_if<ipc::Exited>(&*end) : nullptr;
  const std::string words = child.standard_error();
  if (exited == nullptr || exited->code != 0) {
    fail(file, "cannot be described (" + killed +
                   (end ? ipc::describe(*end) : std::string("its end is not known")) + ")" +
                   (words.empty() ? "" : ":\n" + block(words, 2)));
  }
  if (child.output_was_cut()) fail(file, "describes itself by more than 4 MiB of text");
  if (child.standard_output().empty()) {
    fail(file, "describes nothing: it, or what it imports, ends the program by os._exit");
  }
  pass_on_notes(words);
  return child.standard_output();
}

ipc::ChildProcess started(const std::vector<std::string>& arguments) {
  const PythonHere python = python_here();
  if (arguments.front() == kDescribe) PythonImports::of_this_run().start(python);
  ipc::SpawnOptions options;
  options.program = python.interpreter;
  options.arguments = {"-m", "nightshift"};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  // What lies in this folder is no module of ours, whatever its name.
  options.environment = PythonImports::of_this_run().mark();
  options.environment.emplace_back("PYTHONSAFEPATH", "1");
  if (!python.path.empty()) options.environment.emplace_back("PYTHONPATH", python.path);
  options.output_bytes = kMostOutput;
  options.output_grows = true;
  return ipc::ChildProcess::spawn(options);
}

DescriptionQueue& descriptions() {
  static DescriptionQueue queue(std::clamp<std::size_t>(ipc::usable_cores().size(), 1, kMostAtOnce),
                                started);
  return queue;
}

// The process of a question, once it has ended. Throws ProblemFileError.
ipc::ChildProcess ended(const std::vector<std::string>& arguments) {
  const std::string& file = arguments.at(1);
  ipc::ChildProcess child;
  try {
    child = descriptions().take(arguments);
  } catch (const std::system_error& error) {
    fail(file, "cannot be described: " + python_here().interpreter +
                   ", which NIGHTSHIFT_PYTHON names, cannot be started: " + error.code().message());
  }
  if (!ends_in_time(child, file)) {
    fail(file, "was not described within " + std::to_string(kPatience.count()) + " s by " +
                   python_here().interpreter + " -m nightshift " + arguments.front());
  }
  return child;
}

// What the module prints for these arguments, the second of which is the file. It is asked again where
// the machine ended it; not where the same signal is to end us.
std::string answer(const std::vector<std::string>& arguments) {
  evaluator::OutsideKills kills;
  evaluator::Unwatched unwatched;
  const auto deadline = evaluator::Clock::now() + kPatience;
  while (true) {
    ipc::ChildProcess child = ended(arguments);
    const auto end = child.reap();
    const bool stops = ipc::HeldStopSignals().pending();
    if (end && !stops && kills.again(*end, child.standard_error(), deadline, unwatched)) continue;
    return described(child, arguments.at(1), kills.told(python_here().interpreter));
  }
}

std::vector<std::string> arguments_of(const problems::Description& asked) {
  std::vector<std::string> arguments = {kDescribe, asked.file};
  const auto ask = [&arguments](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  ask("--case", asked.which);
  ask("--problem", asked.problem);
  return arguments;
}

std::string describe(const problems::Description& asked) { return answer(arguments_of(asked)); }

// By its name, or by a table that names it: other files are not read twice for that.
bool may_be_python(const std::string& path) {
  if (path.ends_with(".py")) return true;
  std::error_code error;  // a FIFO would make us wait
  if (!path.ends_with(".toml") || !std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("[python")) return true;
  }
  return false;
}

}  // namespace

search::Problem read_problem(const std::string& path,
                             const std::vector<problems::Override>& overrides, std::string* text) {
  try {
    return problems::read_problem(path, overrides, text, describe);
  } catch (const problems::ProblemFileError&) {
    refuse_batch(StudyFolder(path));
    if (!problems::is_batch_file(path)) throw;
    fail(path, "is a batch file, not a problem file: `nightshift batch run " + shell_word(path) +
                   "` tunes its problems");
  }
}

void announce_problem(const std::string& path, const std::vector<problems::Override>& overrides) {
  struct Announced {};
  if (!may_be_python(path)) return;
  const auto announce = [](const problems::Description& asked) -> std::string {
    descriptions().announce(arguments_of(asked));
    throw Announced();
  };
  try {
    (void)problems::read_problem(path, overrides, nullptr, announce);
  } catch (const Announced&) {
  } catch (const std::exception&) {  // which is told when it is read
  }
}

void look_at_candidates(const search::Problem& problem) {
  constexpr std::ptrdiff_t kFile = 4;  // of INTERPRETER -m nightshift serve FILE ... --space TEXT
  const std::vector<std::string>& argv = std::get<search::CommandBackend>(problem.backend).argv;
  std::vector<std::string> arguments = {kDescribe};
  arguments.insert(arguments.end(), argv.begin() + kFile, std::ranges::find(argv, "--space"));
  arguments.emplace_back("--candidates");
  (void)answer(arguments);
}

problems::ProblemReading inspect_problem(const std::string& path,
                                         const std::vector<problems::Override>& overrides) {
  return problems::inspect_problem(path, overrides, describe);
}

std::string python_draft(const std::string& file, const std::string& function) {
  std::vector<std::string> arguments = {"init", file};
  if (!function.empty()) arguments.insert(arguments.end(), {"--function", function});
  return answer(arguments);
}

}  // namespace nightshift::tools
