#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace nightshift::problems {

// One mistake in a problem file: where, what was expected, and what was probably meant.
struct Diagnostic {
  std::string file;
  int line = 0;    // from 1; 0 = the file as a whole
  int column = 0;  // from 1; 0 = unknown
  std::string message;
};
std::string to_string(
    const Diagnostic& diagnostic);  // "sgemm.toml:12:3: unknown key 'tiem'; did you mean 'time'?"

// Every mistake of a file in one go; what() has them a line each.
class ProblemFileError : public std::runtime_error {
 public:
  explicit ProblemFileError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace nightshift::problems
