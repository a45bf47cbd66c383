#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/describer.h"
#include "problems/override.h"
#include "problems/problem_file_error.h"
#include "problems/problem_reading.h"
#include "search/parameter_space.h"
#include "search/problem.h"

namespace nightshift::problems {

// A journal's text was accepted when its study began: what only later versions call a mistake is
// none there. kTelling: such a text, read to say what its study did; the sources and folders that
// it names may have gone since, or be others, and are not looked at. Nothing can be built of what
// it gives.
enum class TextOrigin : std::uint8_t { kUser, kJournal, kTelling };

// Reads PROBLEM.toml, a T1 JSON file, or a recorded space (SPACE.json, SPACE.json.gz: cache, T4 or
// KTT), told apart by what is in them. Paths in the file are relative to its folder. Throws
// ProblemFileError. `text`, when given, receives what was read (empty for recorded spaces), so that
// a study can be resumed after the file has changed.
//
// FILE.py, and the file that [python] of a TOML problem names, is described by `describe`. The
// other tables of the TOML file go before what it prints, key by key; `text` receives both as one.
search::Problem read_problem(const std::string& path, const std::vector<Override>& overrides = {},
                             std::string* text = nullptr, const Describer& describe = nullptr);
// The same from text; `path` gives folder and name for messages. Where the text is empty, as it is
// for recorded spaces, the file at `path` is read.
search::Problem parse_problem(std::string_view text, const std::string& path,
                              const std::vector<Override>& overrides = {},
                              TextOrigin origin = TextOrigin::kUser);

// The same without throwing: what can be understood of the file, and every mistake in it.
ProblemReading inspect_problem(const std::string& path, const std::vector<Override>& overrides = {},
                               const Describer& describe = nullptr);

// The text of a problem, as read_problem() gives it, with what is set from outside.
struct WrittenProblem {
  std::string_view text;
  std::vector<Override> overrides;
};
// What figures follow from and `now` says otherwise, a sentence each: command lines, sizes,
// arguments, objectives and how they are read, the baseline. What is searched, for how long and how
// it is judged is none of it, nor is what stands in other files.
std::vector<std::string> changed_terms(const WrittenProblem& before, const WrittenProblem& now);

// The space to search: Problem::parameters and constraints, or exactly the recorded
// configurations for a recorded problem. Throws search::SpaceError, ProblemFileError.
search::ParameterSpace make_space(const search::Problem& problem);

// What a source is that was given in place of a problem file, and what to do: the end of a sentence
// about it.
std::string why_no_problem(const std::string& path);

}  // namespace nightshift::problems
