#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/problem.h"

namespace nightshift::kernels {

// One mistake in a problem file: where, what was expected, and what was probably meant.
struct Mistake {
  std::string file;
  int line = 0;    // from 1; 0 = the file as a whole
  int column = 0;  // from 1; 0 = unknown
  std::string message;
};
std::string to_string(
    const Mistake& mistake);  // "sgemm.toml:12:3: unknown key 'tiem'; did you mean 'time'?"

// Every mistake of a file in one go; what() has them a line each.
class ProblemFileError : public std::runtime_error {
 public:
  explicit ProblemFileError(std::vector<Mistake> mistakes);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
};

// A key of the TOML form set from outside, e.g. {"acceptance.rounds", "3"}; the value is TOML, or a
// bare word taken as text.
using Override = std::pair<std::string, std::string>;

// Reads PROBLEM.toml, a T1 JSON file, or a recorded space (SPACE.json, SPACE.json.gz: cache or T4),
// told apart by what is in them. Paths in the file are relative to its folder. Throws
// ProblemFileError. `text`, when given, receives what was read (empty for recorded spaces), so that
// a study can be resumed after the file has changed.
search::Problem read_problem(const std::string& path, const std::vector<Override>& overrides = {},
                             std::string* text = nullptr);
// The same from text that was kept; `path` gives folder and name for messages. Where the text is
// empty, as it is for recorded spaces, the file at `path` is read.
search::Problem parse_problem(std::string_view text, const std::string& path,
                              const std::vector<Override>& overrides = {});

// The space to search: Problem::parameters and constraints, or exactly the recorded
// configurations for a recorded problem. Throws search::SpaceError, ProblemFileError.
search::ParameterSpace make_space(const search::Problem& problem);

// The known name nearest to `word` by edit distance, when near enough to be a slip; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace nightshift::kernels
