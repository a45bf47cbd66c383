#pragma once

#include <string>
#include <vector>

#include "problems/problem_file.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::problems {

// A folder with the sources that the problems below name.
class ProblemFolder : public ScratchFolder {
 public:
  ProblemFolder() {
    write("add.cc", "void add(const float* a, float* b, long n);");
    write("plain.cc", "void plain(const float* a, float* b, long n);");
  }

  search::Problem read(const std::string& text, const std::vector<Override>& overrides = {}) const {
    return parse_problem(text, path("problem.toml"), overrides);
  }

  // The mistakes, "LINE:COLUMN MESSAGE" each; with what was set from outside in place of the line.
  std::vector<std::string> diagnostics(const std::string& text,
                                       const std::vector<Override>& overrides = {}) const {
    std::vector<std::string> lines;
    try {
      read(text, overrides);
    } catch (const ProblemFileError& error) {
      for (const Diagnostic& diagnostic : error.diagnostics()) {
        const bool in_file = diagnostic.file == path("problem.toml");
        lines.push_back(
            (in_file ? std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column)
                     : diagnostic.file) +
            " " + diagnostic.message);
      }
    }
    return lines;
  }
};

// Small problems without mistakes; `more` goes to the end.
inline std::string host_problem(const std::string& more = "") {
  return R"(name = "add"
constraints = ["N % TILE == 0"]
[host]
kernel = { file = "add.cc", function = "add", flags = ["-O3"] }
sizes = { N = 1024 }
[[host.argument]]
name = "a"
type = "float32"
size = "N"
[[host.argument]]
name = "b"
type = "float32"
size = "N"
access = "out"
[[host.argument]]
name = "n"
type = "int64"
value = "N"
[parameters]
TILE = [16, 32, 64]
UNROLL = { range = [1, 4] }
)" + more;
}

// Without an environment of its own the program gets the parameters by one, in the last lines.
inline std::string command_problem(const std::string& command_lines, const std::string& more = "") {
  const bool uses_them = command_lines.find("environment") != std::string::npos;
  return R"(name = "bench"
[parameters]
TILE = [16, 32, 64]
THREADS = [1, 2]
[command]
)" + command_lines +
         "\n" + more +
         (uses_them ? "" : "\n[command.environment]\nPARAMETERS = '{TILE} {THREADS}'\n");
}

}  // namespace nightshift::problems
