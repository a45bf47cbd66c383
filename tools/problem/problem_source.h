#pragma once

#include <string>
#include <vector>

#include "problems/problem_file.h"

namespace nightshift::tools {

// problems::read_problem and inspect_problem for files that a person names: PROBLEM.py, and what
// [python] names, is described by `python3 -m nightshift describe FILE [--case NAME]
// [--problem NAME]` in a process of its own, within 180 s, and again where that was killed from outside
// (evaluator/process/outside_kills.h). A batch, and the file of one, are refused as such, with what
// takes them. NIGHTSHIFT_PYTHON names another interpreter. The module is
// ours: of the install folder (share/nightshift/python) or of the source tree (python/).
search::Problem read_problem(const std::string& path,
                             const std::vector<problems::Override>& overrides = {},
                             std::string* text = nullptr);
problems::ProblemReading inspect_problem(const std::string& path,
                                         const std::vector<problems::Override>& overrides = {});
// It will be read: where it is described by a process, that may begin now, beside those of others.
void announce_problem(const std::string& path, const std::vector<problems::Override>& overrides);
// Has the file that serves a problem in Python say what candidates could make of it
// (python/nightshift/foreseen.py), which is told. Throws problems::ProblemFileError where each would
// be refused.
void look_at_candidates(const search::Problem& problem);
// What `python3 -m nightshift init FILE` prints: a problem file to begin with. It does not import
// the file. `function`: empty: the first kernel that is launched. Throws
// problems::ProblemFileError.
std::string python_draft(const std::string& file, const std::string& function);

}  // namespace nightshift::tools
