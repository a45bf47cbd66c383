#include "tools/bisect/bisect_points.h"

#include <filesystem>
#include <sstream>
#include <utility>

#include "scheduler/devices/environment_facts.h"
#include "tools/problem/problem_source.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 60;    // seconds that git may take
constexpr std::size_t kShown = 10;  // digits of a commit

std::string git(const std::string& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-C", folder});
  return scheduler::output_of("git", arguments, kPatience);
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
    add(git(root_, {"log", "-1", "--format=%H%x09%s", first}));
    add(git(root_,
            {"log", "--reverse", "--first-parent", "--format=%H%x09%s", first + ".." + last}));
  }

  std::string_view kind() const override { return "commit"; }
  std::size_t size() const override { return commits_.size(); }
  std::string name(std::size_t point) const override {
    return commits_[point].first.substr(0, kShown);
  }
  std::string title(std::size_t point) const override { return commits_[point].second; }

  search::Problem problem(std::size_t point) override {
    const std::string& commit = commits_[point].first;
    const fs::path tree = fs::path(folder_) / commit,
                   index = fs::path(folder_) / (commit + ".index");
    if (!fs::exists(tree)) {
      // With an index of its own: the repository's and its work tree stay as they are.
      const std::string with_index = "GIT_INDEX_FILE=" + index.string();
      const auto in_index = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {with_index, "git", "-C", root_});
        scheduler::output_of("env", arguments, kPatience);
      };
      in_index({"read-tree", commit});
      fs::create_directory(tree);
      in_index({"checkout-index", "--all", "--force", "--prefix=" + tree.string() + "/"});
      std::error_code ignored;
      fs::remove(index, ignored);
    }
    const fs::path file = tree / below_;
    if (!fs::exists(file)) throw UsageError("it has no file " + below_.string());
    return read_problem(file.string(), overrides_);
  }

 private:
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
