#include "evaluator/missing_programs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <variant>

#include "base/overloaded.h"
#include "evaluator/host/source_language.h"
#include "evaluator/process/program_path.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

bool is_decided_later(const std::string& word) { return word.find('{') != std::string::npos; }

// Why `word` cannot be started; empty: it can.
std::string complaint_of(const std::string& word, const fs::path& folder) {
  if (find_program(word, folder)) return {};
  if (word.find('/') == std::string::npos) {
    const bool is_here = is_file(folder / word);
    return "there is no program '" + word + "' on PATH" +
           (is_here ? "; of a file in " + folder.string() + " write './" + word + "'" : "");
  }
  const fs::path path = (folder / word).lexically_normal();
  if (!is_file(path)) return "there is no program " + path.string();
  return path.string() + " may not be executed; chmod +x makes it a program";
}

// "python3.11" is python.
bool is_interpreter(const std::string& word) {
  constexpr std::array<std::string_view, 12> kInterpreters = {"sh",     "bash",    "dash", "zsh",
                                                              "python", "perl",    "ruby", "node",
                                                              "julia",  "Rscript", "lua",  "php"};
  std::string name = fs::path(word).filename().string();
  name.erase(name.find_last_not_of("0123456789.") + 1);
  return std::ranges::find(kInterpreters, name) != kInterpreters.end();
}

void look_at(const char* key, const Texts& words, const fs::path& folder, Texts& missing) {
  if (words.empty() || is_decided_later(words.front())) return;
  const std::string opening = std::string("command.") + key + ": ";
  if (const std::string why = complaint_of(words.front(), folder); !why.empty()) {
    missing.push_back(opening + why);
    return;
  }
  if (words.size() < 2 || !is_interpreter(words.front())) return;
  const std::string& script = words[1];  // options, such as -c and -m, say that it is none
  if (script.empty() || script.front() == '-' || is_decided_later(script)) return;
  const fs::path path = (folder / script).lexically_normal();
  if (!is_file(path)) missing.push_back(opening + "there is no script " + path.string());
}

Texts missing_of(const search::CommandBackend& command) {
  Texts missing;
  const auto has_path = [](const auto& environment) {
    return std::ranges::any_of(environment, [](const auto& set) { return set.first == "PATH"; });
  };
  if (!has_path(command.environment)) {
    look_at("argv", command.argv, command.directory, missing);
    look_at("baseline_argv", command.baseline_argv, command.directory, missing);
  }
  if (!has_path(command.build_environment)) {
    look_at("build", command.build, command.directory, missing);
    look_at("baseline_build", command.baseline_build, command.directory, missing);
  }
  return missing;
}

Texts missing_of(const search::HostBackend& host, const search::Problem& problem) {
  Texts missing;
  const search::Configuration baseline = search::resolved(problem, {});
  for (const auto* source : {&host.kernel, &host.baseline, &host.reference}) {
    if (source->file.empty()) continue;
    const std::string compiler = compiler_program(host, *source, baseline);
    std::string why = language_complaint(*source, compiler);
    if (why.empty()) {
      why = complaint_of(compiler, "/");
      if (!why.empty()) why = "host.compiler: " + why;
    }
    if (!why.empty() && std::ranges::find(missing, why) == missing.end()) missing.push_back(why);
  }
  return missing;
}

}  // namespace

std::vector<std::string> missing_programs(const search::Problem& problem) {
  return std::visit(base::Overloaded{
                        [](const search::CommandBackend& command) { return missing_of(command); },
                        [&](const search::HostBackend& host) { return missing_of(host, problem); },
                        [](const search::RecordedBackend&) { return Texts(); },
                        [](const search::CudaBackend& cuda) {
                          Texts missing;
                          if (!cuda.compiler_argv.empty()) {
                            const std::string why =
                                complaint_of(cuda.compiler_argv.front(), cuda.compiler_directory);
                            if (!why.empty()) missing.push_back("cuda.compiler_argv: " + why);
                          }
                          return missing;
                        },
                    },
                    problem.backend);
}

}  // namespace nightshift::evaluator
