#pragma once

#include <functional>
#include <string>

namespace nightshift::problems {

// What a file is asked for; a name that is empty leaves the choice to it.
struct Description {
  std::string file;                      // absolute
  std::string problem = {}, which = {};  // names of one of its problems, and of one of its cases
};

// Asks a program for the problem that a file describes: the text of a TOML problem file. Throws
// ProblemFileError.
using Describer = std::function<std::string(const Description& asked)>;

}  // namespace nightshift::problems
