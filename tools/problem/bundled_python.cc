#include "tools/problem/bundled_python.h"

#include <algorithm>
#include <filesystem>
#include <variant>

#include "search/value.h"
#include "tools/problem/python_here.h"
#include "tools/text/toml_list.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPython = "python3";
constexpr const char* kPath = "PYTHONPATH";
constexpr std::size_t kFile = 4;  // INTERPRETER -m nightshift serve FILE

std::string relative(const std::string& path, const fs::path& folder) {
  return path.starts_with('/') ? fs::path(path).lexically_relative(folder).string() : path;
}

}  // namespace

bool serves_python(const search::Problem& problem) {
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  if (command == nullptr || !search::serves_frames(problem)) return false;
  const std::vector<std::string>& argv = command->argv;
  return argv.size() > kFile && argv[1] == "-m" && argv[2] == "nightshift" && argv[3] == "serve";
}

std::vector<problems::Override> portable_python(search::Problem& problem) {
  auto& command = std::get<search::CommandBackend>(problem.backend);
  const fs::path folder = fs::path(problem.file).parent_path();
  command.argv.front() = kPython;
  std::vector<std::string> argv = command.argv, inputs;
  argv[kFile] = relative(argv[kFile], command.directory);
  for (const std::string& input : command.inputs) inputs.push_back(relative(input, folder));
  return {{"command.argv", toml_list(argv)},
          {"command.directory", search::json_quoted(relative(command.directory, folder))},
          {"command.inputs", toml_list(inputs)},
          {std::string("command.environment.") + kPath, search::json_quoted("")}};
}

void use_python_here(search::Problem& problem) {
  auto& command = std::get<search::CommandBackend>(problem.backend);
  const PythonHere here = python_here();
  command.argv.front() = here.interpreter;
  std::erase_if(command.environment, [](const auto& variable) { return variable.first == kPath; });
  if (!here.path.empty()) command.environment.emplace_back(kPath, here.path);
}

}  // namespace nightshift::tools
