#include "tools/bisect/bisect_points.h"

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "ipc/child_process.h"
#include "ipc/system_call.h"
#include "scheduler/devices/environment_facts.h"
#include "scheduler/errors.h"
#include "scheduler/pool/room_left.h"
#include "search/telling_line.h"
#include "tools/problem/problem_source.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 60;        // seconds that git may take
constexpr double kTreePatience = 1800;  // to write the files of a commit
constexpr std::size_t kMostOutput = 64 << 20;
constexpr std::size_t kShown = 10;  // digits of a commit

std::string git(const std::string& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-C", folder});
  return scheduler::output_of("git", arguments, kPatience);
}

std::string words_of(const ipc::ExitReport& report, const std::string& said) {
  const std::size_t first = search::first_error_line(said);
  const std::string words =
      scheduler::first_line(first == std::string::npos ? said : said.substr(first));
  return words.empty() ? ipc::describe(report) : words;
}

// What git says. Throws UsageError where it fails: what it has done so far is not all. Throws
// scheduler::NoRoomError where the system starts no process.
std::string said_by_git(const std::string& folder, std::vector<std::string> arguments,
                        const std::string& index = {}, double patience = kPatience) {
  const std::string what = "git " + arguments.front();
  arguments.insert(arguments.begin(), {"-C", folder});
  ipc::SpawnOptions options;
  options.program = "git";
  options.arguments = std::move(arguments);
  options.environment = {{"GIT_OPTIONAL_LOCKS", "0"}, {"LC_ALL", "C"}};
  if (!index.empty()) options.environment.emplace_back("GIT_INDEX_FILE", index);
  options.output_bytes = kMostOutput;
  options.output_grows = true;
  try {
    ipc::ChildProcess child = ipc::ChildProcess::spawn(options);
    if (!scheduler::ends_within(child, patience)) {
      throw UsageError(what + " took longer than " + format_duration(patience));
    }
    const std::optional<ipc::ExitReport> report = child.reap();
    const auto* exited = report ? std::get_if<ipc::Exited>(&*report) : nullptr;
    if (exited != nullptr && exited->code == 0) return child.standard_output();
    throw UsageError(what + " failed: " +
                     (report ? words_of(*report, child.standard_error()) : "it does not end"));
  } catch (const std::system_error& error) {
    if (!ipc::is_for_now(error)) throw UsageError(what + " cannot be started: " + error.what());
    throw scheduler::NoRoomError(std::string(search::kNoProcess) + ": " + what + ": " +
                                 error.what() + "\nThe same command may do it later");
  }
}

// Git gives no reason for a file that it cannot write: a disk that is full now is taken for it.
void throw_where_full(const std::string& folder) {
  const std::string full = scheduler::lack_of_machine(
      {folder}, search::BuildFailed{std::error_code(ENOSPC, std::generic_category()).message()});
  if (full.empty()) return;
  throw scheduler::NoRoomError(full +
                               ", and git writes the files of commits there\nFree some, or name "
                               "another folder by TMPDIR; nothing is held against a commit for it");
}

class Commits final : public BisectPoints {
 public:
  Commits(const std::string& problem_file, const std::string& good, const std::string& bad,
          std::vector<problems::Override> overrides, std::string folder)
      : overrides_(std::move(overrides)), folder_(std::move(folder)) {
    const fs::path file = fs::absolute(problem_file).lexically_normal();
    const std::string from = file.parent_path().string();
    root_ = scheduler::first_line(git(from, {"rev-parse", "--show-toplevel"}));
    if (root_.empty()) {
      throw UsageError(problem_file + " is in no git repository, or there is no git");
    }
    // As git says it: links may lead to the repository.
    below_ = fs::path(scheduler::first_line(git(from, {"rev-parse", "--show-prefix"}))) /
             file.filename();
    const std::string first = commit_of("--good", good), last = commit_of("--bad", bad);
    if (first == last) throw UsageError("--good and --bad are the same commit");
    if (scheduler::first_line(git(root_, {"rev-list", "--count", last + ".." + first})) != "0") {
      throw UsageError("--good " + good + " is no ancestor of --bad " + bad);
    }
    add(said_by_git(root_, {"log", "-1", "--format=%H%x09%s", first}));
    add(said_by_git(
        root_, {"log", "--reverse", "--first-parent", "--format=%H%x09%s", first + ".." + last}));
  }

  std::string_view kind() const override { return "commit"; }
  std::size_t size() const override { return commits_.size(); }
  std::string name(std::size_t point) const override {
    return commits_[point].first.substr(0, kShown);
  }
  std::string title(std::size_t point) const override { return commits_[point].second; }

  search::Problem problem(std::size_t point) override {
    const fs::path tree = tree_of(point);
    if (!fs::exists(tree)) write(point);
    const fs::path file = tree / below_;
    std::error_code unknown;
    if (!fs::exists(file, unknown)) throw UsageError("it has no file " + below_.string());
    return read_problem(file.string(), overrides_);
  }

  void done_with(std::size_t point) override {
    std::error_code ignored;
    fs::remove_all(tree_of(point), ignored);
    fs::remove(index_of(point), ignored);
  }

 private:
  fs::path tree_of(std::size_t point) const { return fs::path(folder_) / commits_[point].first; }
  fs::path index_of(std::size_t point) const {
    return fs::path(folder_) / (commits_[point].first + ".index");
  }

  // All of its files, or none: a file that is cut off may well build.
  void write(std::size_t point) {
    const std::string tree = tree_of(point).string(), index = index_of(point).string();
    try {
      // With an index of its own: the repository's and its work tree stay as they are.
      said_by_git(root_, {"read-tree", commits_[point].first}, index, kTreePatience);
      fs::create_directory(tree);
      said_by_git(root_, {"checkout-index", "--all", "--force", "--prefix=" + tree + "/"}, index,
                  kTreePatience);
    } catch (const UsageError&) {
      throw_where_full(folder_);
      done_with(point);
      throw;
    }
    std::error_code ignored;
    fs::remove(index, ignored);
  }

  std::string commit_of(const std::string& option, const std::string& name) const {
    std::string commit = scheduler::first_line(
        git(root_, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}));
    if (commit.empty()) throw UsageError(option + ": " + root_ + " has no commit '" + name + "'");
    return commit;
  }

  void add(const std::string& lines) {
    std::istringstream all(lines);
    for (std::string line; std::getline(all, line);) {
      const std::size_t tab = line.find('\t');
      if (tab != std::string::npos)
        commits_.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    }
  }

  std::vector<problems::Override> overrides_;
  std::string folder_, root_;
  fs::path below_;                                            // of the problem, from the root
  std::vector<std::pair<std::string, std::string>> commits_;  // hash, first line
};

class Compilers final : public BisectPoints {
 public:
  Compilers(search::Problem problem, std::vector<Toolchain> toolchains)
      : problem_(std::move(problem)), toolchains_(std::move(toolchains)) {}

  std::string_view kind() const override { return "compiler"; }
  std::size_t size() const override { return toolchains_.size(); }
  std::string name(std::size_t point) const override { return toolchains_[point].shown.name; }
  std::string title(std::size_t point) const override { return toolchains_[point].shown.version; }
  search::Problem problem(std::size_t point) override {
    return with_toolchain(problem_, toolchains_[point]);
  }
  search::Configuration by(std::size_t point, search::Configuration configuration) const override {
    return with_toolchain(std::move(configuration), problem_, toolchains_[point]);
  }

 private:
  search::Problem problem_;
  std::vector<Toolchain> toolchains_;
};

}  // namespace

std::unique_ptr<BisectPoints> commits_between(const std::string& problem_file,
                                              const std::string& good, const std::string& bad,
                                              const std::vector<problems::Override>& overrides,
                                              const std::string& folder) {
  return std::make_unique<Commits>(problem_file, good, bad, overrides, folder);
}

std::unique_ptr<BisectPoints> compilers_in_order(const search::Problem& problem,
                                                 std::vector<Toolchain> toolchains) {
  for (const Toolchain& toolchain : toolchains) {
    if (!concerns(toolchain, problem)) {
      throw UsageError("--compilers: " + toolchain.shown.name + " does not build " + problem.name);
    }
  }
  return std::make_unique<Compilers>(problem, std::move(toolchains));
}

}  // namespace nightshift::tools
