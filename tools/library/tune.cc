#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "base/file_text.h"
#include "base/text.h"
#include "ipc/child_process.h"
#include "tools/library/callable_server.h"

namespace nightshift {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Names the tune() that a process is started for.
constexpr const char* kCallable = "NIGHTSHIFT_CALLABLE";
constexpr std::size_t kOutputBytes = std::size_t{16} << 20;
constexpr int kImproved = 0, kNoImprovement = 3;  // exit codes of `tune` with a result

// Beside this library, wherever it was put.
std::string program_of(const TuneOptions& options) {
  if (!options.program.empty()) return options.program;
  if (const char* named = std::getenv("NIGHTSHIFT"); named != nullptr && *named != '\0') {
    return named;
  }
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&kOutputBytes), &library) != 0) {
    const fs::path beside = fs::absolute(library.dli_fname).parent_path() / "../bin/nightshift";
    if (access(beside.c_str(), X_OK) == 0) return beside.lexically_normal();
  }
  return "nightshift";
}

// The command line of this process, by the file that it really is.
std::vector<std::string> own_command() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::string> words;
  std::istringstream parts(text);
  for (std::string word; std::getline(parts, word, '\0');) words.push_back(word);
  if (words.empty()) throw Error("/proc/self/cmdline does not say how this program was started");
  words.front() = fs::read_symlink("/proc/self/exe");
  return words;
}

// One that goes with what is in it, or the one that was asked for, which stays.
class StudyPlace {
 public:
  explicit StudyPlace(const std::string& asked) : goes_(asked.empty()) {
    std::string name;
    if (goes_) {
      std::error_code missing;
      const fs::path parent = fs::temp_directory_path(missing);
      if (missing) {
        throw Error("TMPDIR is no folder: " + missing.message() +
                    "; name one, or a study's folder");
      }
      name = parent / "nightshift-callable-XXXXXX";
      if (::mkdtemp(name.data()) == nullptr) throw Error("cannot make a folder " + name);
    }
    path_ = goes_ ? fs::path(name) : fs::absolute(asked);
    fs::create_directories(path_);
  }
  ~StudyPlace() {
    std::error_code ignored;
    if (goes_) fs::remove_all(path_, ignored);
  }
  StudyPlace(const StudyPlace&) = delete;
  StudyPlace& operator=(const StudyPlace&) = delete;

  const fs::path& path() const { return path_; }

 private:
  bool goes_;
  fs::path path_;
};

std::string quoted_list(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(search::json_quoted(word));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string problem_text(const Space::Parts& space, const TuneOptions& options) {
  std::string text = fmt::format("name = {}\n", search::json_quoted(options.name));
  text += space_tables(space.parameters, space.constraints);
  text += fmt::format(
      "[command]\nmode = \"server\"\nargv = {}\ndirectory = {}\n"
      "environment = {{ {} = {} }}\n"
      "figure = [{{ objective = \"figure\", source = \"json\" }}]\n",
      quoted_list(own_command()), search::json_quoted(fs::current_path().string()), kCallable,
      search::json_quoted(options.name));
  text +=
      fmt::format("[[objective]]\nname = \"figure\"\nunit = {}\ndirection = \"{}\"\n",
                  search::json_quoted(options.unit), options.maximise ? "maximise" : "minimise");
  if (!options.baseline.empty()) {
    text += "[baseline]\n";
    for (const auto& [name, value] : options.baseline) {
      text += fmt::format("{} = {}\n", search::json_quoted(name), toml_value(value));
    }
  }
  text += fmt::format("[search]\nsearcher = {}\nseed = {}\n", search::json_quoted(options.searcher),
                      options.seed);
  text += "[budget]\n";
  if (options.seconds > 0) text += fmt::format("time = \"{}s\"\n", options.seconds);
  if (options.trials > 0) text += fmt::format("trials = {}\n", options.trials);
  return text + options.more;
}

// The standard output of `nightshift tune`; its words of an error where it had no result.
std::string output_of_tune(const TuneOptions& options, const fs::path& folder) {
  ipc::SpawnOptions spawned;
  spawned.program = program_of(options);
  spawned.arguments = {"tune", folder / "problem.toml", "--study", folder / "study", "--json"};
  spawned.output_bytes = kOutputBytes;
  std::optional<ipc::ChildProcess> child;
  try {
    child = ipc::ChildProcess::spawn(spawned);
  } catch (const std::exception& error) {
    throw Error(fmt::format("cannot start {}: {}", spawned.program, error.what()));
  }
  while (!child->dead()) {
    pollfd ended{child->pidfd(), POLLIN, 0};
    if (poll(&ended, 1, -1) < 0 && errno != EINTR) throw Error("cannot wait for nightshift");
  }
  const std::optional<ipc::ExitReport> report = child->reap();
  const auto* exited = report ? std::get_if<ipc::Exited>(&*report) : nullptr;
  if (exited == nullptr || (exited->code != kImproved && exited->code != kNoImprovement)) {
    throw Error(fmt::format("nightshift ended with {}: {}",
                            report ? ipc::describe(*report) : "no report",
                            base::trimmed(child->standard_error())));
  }
  return child->standard_output();
}

double number_or(const json& object, double otherwise) {
  return object.is_number() ? object.get<double>() : otherwise;
}

Tuned result_of(const Space::Parts& space, const Configuration& baseline, std::string text) {
  const json result = json::parse(text, nullptr, false);
  if (!result.is_object() || !result.contains("improvement")) {
    throw Error("nightshift printed no result: " + text);
  }
  Tuned tuned;
  const json& improvement = result.at("improvement");
  tuned.accepted = improvement.at("accepted").get<bool>();
  tuned.reason = improvement.at("reason").get<std::string>();
  tuned.ratio = number_or(improvement.at("ratio"), 1);
  if (const json& interval = improvement.at("interval"); interval.is_array()) {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    tuned.interval = {number_or(interval.at(0), 0), number_or(interval.at(1), kUnknown)};
  }
  tuned.confidence = number_or(improvement.at("confidence"), tuned.confidence);
  tuned.best = baseline;
  if (tuned.accepted) {
    tuned.best = configuration_in(space, result.at("best").at("configuration"));
  }
  const json& trials = result.at("trials");
  tuned.measured = trials.at("measured").get<std::uint64_t>();
  for (const auto& [kind, count] : trials.at("failed").items()) {
    tuned.failed += count.get<std::uint64_t>();
  }
  tuned.json = std::move(text);
  return tuned;
}

// What the objective prints must not stand among answers.
[[noreturn]] void serve(const Space::Parts& space, const Configuration& baseline,
                        const Objective& objective) {
  std::fflush(nullptr);
  const int answers = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  serve_callable(space, baseline, objective, stdin, ::fdopen(answers, "w"));
  std::fflush(nullptr);
  std::_Exit(0);
}

}  // namespace

Tuned tune(const Space& space, const Objective& objective, const TuneOptions& options) {
  const Space::Parts& parts = space.parts();
  Configuration baseline = space.defaults();
  for (const auto& [name, value] : options.baseline) baseline[name] = value;
  if (const char* asked = std::getenv(kCallable); asked != nullptr) {
    if (options.name == asked) serve(parts, baseline, objective);
    Tuned none;
    none.best = baseline;
    none.reason = "this process is an evaluator of another function";
    return none;
  }
  try {
    const StudyPlace place(options.folder);
    base::write_whole_file(place.path() / "problem.toml", problem_text(parts, options));
    return result_of(parts, baseline, output_of_tune(options, place.path()));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

}  // namespace nightshift
