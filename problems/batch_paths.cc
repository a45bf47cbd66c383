#include "problems/batch_paths.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

namespace nightshift::problems {
namespace {

namespace fs = std::filesystem;

bool is_problem_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "problem.toml" || name.ends_with(".json.gz");
}

}  // namespace

std::string default_name(const fs::path& problem) {
  std::string stem = problem.filename().string();
  stem = stem.substr(0, stem.find('.'));
  if (stem != "problem") return stem;
  const fs::path folder = problem.parent_path().filename();
  return folder.empty() ? stem : folder.string();
}

std::vector<NamedProblem> problems_at(const std::vector<std::string>& paths,
                                      Diagnostics& diagnostics) {
  std::vector<fs::path> problems;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (fs::is_directory(path, failed)) {
      std::vector<fs::path> found;
      for (const auto& entry : fs::recursive_directory_iterator(path, failed)) {
        if (entry.is_regular_file(failed) && is_problem_file(entry.path())) {
          found.push_back(entry.path());
        }
      }
      if (found.empty()) {
        diagnostics.add({path, 0, 0}, "no problem.toml is in this folder or below it");
      }
      std::ranges::sort(found);
      problems.insert(problems.end(), found.begin(), found.end());
    } else if (fs::exists(path, failed)) {
      problems.emplace_back(path);
    } else {
      diagnostics.add({path, 0, 0}, "there is no such file");
    }
  }
  std::vector<NamedProblem> named;
  std::set<std::string> names;
  for (const fs::path& problem : problems) {
    const std::string base = default_name(problem);
    std::string name = base;
    for (int copy = 2; !names.insert(name).second; ++copy) {
      name = base + "-" + std::to_string(copy);
    }
    named.push_back({std::move(name), fs::absolute(problem).lexically_normal().string()});
  }
  return named;
}

}  // namespace nightshift::problems
