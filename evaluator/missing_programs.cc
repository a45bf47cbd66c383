#include "evaluator/missing_programs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "base/overloaded.h"
#include "evaluator/counters/own_objectives.h"
#include "evaluator/host/build/source_language.h"
#include "evaluator/interpreter_line.h"
#include "evaluator/launchers.h"
#include "evaluator/process/program_path.h"
#include "evaluator/process/script_word.h"
#include "search/substitution.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

bool is_decided_later(const std::string& word) { return word.find('{') != std::string::npos; }

// With the baseline's values put in. What a word has beside parameters stays: "{artifact}/main".
Texts of_baseline(const Texts& words, const search::Configuration& baseline) {
  Texts put_in;
  for (const std::string& word : words) {
    try {
      put_in.push_back(search::substituted(word, baseline));
    } catch (const std::runtime_error&) {
      put_in.push_back(word);
    }
  }
  return put_in;
}

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

// Whether a word names one of these programs, whatever its folder and the version behind its name.
bool is_one_of(std::span<const std::string_view> programs, const std::string& word,
               const char* version) {
  std::string name = fs::path(word).filename().string();
  name.erase(name.find_last_not_of(version) + 1);
  return std::ranges::find(programs, name) != programs.end();
}

// A program, what launchers start, and the script of an interpreter.
std::string complaint_of_line(std::span<const std::string> words, const fs::path& folder) {
  for (std::span<const std::string> launched; !words.empty(); words = launched) {
    if (is_decided_later(words.front())) return {};
    std::string why = complaint_of(words.front(), folder);
    if (why.empty()) why = interpreter_complaint(*find_program(words.front(), folder));
    if (!why.empty()) return why;
    launched = launched_words(words);
    if (launched.empty()) break;
  }
  const auto script = script_word(words);
  if (!script || is_decided_later(*script)) return {};
  // A folder is a program of Python or Node, which adds ".js", too; a shell looks on PATH.
  const fs::path path = (folder / *script).lexically_normal();
  std::error_code ignored;
  const bool is_found = fs::exists(path, ignored) || is_file(path.string() + ".js") ||
                        (script->find('/') == std::string::npos && find_program(*script));
  return is_found ? std::string() : "there is no script " + path.string();
}

bool is_compiler(const std::string& word) {
  constexpr std::array<std::string_view, 12> kCompilers = {"cc",       "c++",     "gcc",  "g++",
                                                           "clang",    "clang++", "nvcc", "hipcc",
                                                           "gfortran", "icx",     "icpx", "rustc"};
  return is_one_of(kCompilers, word, "0123456789.-");
}

// A source that a compiler is to read. What an option names may be what it writes.
std::string complaint_of_sources(std::span<const std::string> words, const fs::path& folder) {
  constexpr std::array<std::string_view, 13> kSources = {
      ".c", ".cc", ".cpp", ".cxx", ".cu", ".hip", ".f90", ".f", ".F90", ".S", ".asm", ".rs", ".C"};
  while (!launched_words(words).empty()) words = launched_words(words);
  if (words.empty() || !is_compiler(words.front())) return {};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_source =
        std::ranges::find(kSources, fs::path(word).extension().string()) != kSources.end();
    constexpr std::array<std::string_view, 4> kWritten = {"-o", "-MF", "-MT", "-MQ"};
    const bool is_written = std::ranges::find(kWritten, words[i - 1]) != kWritten.end();
    if (!is_source || is_written || is_decided_later(word) || word.front() == '-') continue;
    const fs::path path = (folder / word).lexically_normal();
    if (!is_file(path)) return "there is no source " + path.string();
  }
  return {};
}

Texts missing_of(const search::CommandBackend& command, const search::Configuration& baseline) {
  Texts missing;
  const auto has_path = [](const auto& environment) {
    return std::ranges::any_of(environment, [](const auto& set) { return set.first == "PATH"; });
  };
  const auto look_at = [&](const char* key, const Texts& words) {
    std::string why = complaint_of_line(words, command.directory);
    const bool builds = std::string_view(key).ends_with("build");
    if (why.empty() && builds) why = complaint_of_sources(words, command.directory);
    if (!why.empty()) missing.push_back(std::string("command.") + key + ": " + why);
  };
  // Where the baseline has a line of its own, the other one is of no configuration that is known.
  const auto line = [&](const Texts& words, const Texts& of_baseline_alone) {
    return of_baseline_alone.empty() ? of_baseline(words, baseline) : words;
  };
  if (!has_path(command.environment)) {
    look_at("argv", line(command.argv, command.baseline_argv));
    look_at("baseline_argv", of_baseline(command.baseline_argv, baseline));
  }
  if (!has_path(command.build_environment)) {
    look_at("build", line(command.build, command.baseline_build));
    look_at("baseline_build", of_baseline(command.baseline_build, baseline));
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
  Texts all =
      std::visit(base::Overloaded{
                     [&](const search::CommandBackend& command) {
                       return missing_of(command, search::resolved(problem, {}));
                     },
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
  for (std::string& why : unmeasurable(problem)) all.push_back(std::move(why));
  return all;
}

}  // namespace nightshift::evaluator
