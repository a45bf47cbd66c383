#pragma once

#include <string>
#include <vector>

#include "problems/override.h"
#include "search/problem.h"

namespace nightshift::tools {

// A problem that python/ has described (problem_source.h) names the interpreter, the module and the
// files of the machine where that was. In a bundle it names files beside the problem alone;
// interpreter and module are those of the machine that reads it.

bool serves_python(const search::Problem& problem);

// With which the text of such a problem names nothing of this machine. `problem` becomes what it
// would then be read as here.
std::vector<problems::Override> portable_python(search::Problem& problem);

// Has a problem that was read with these served by the interpreter and the module of this machine.
void use_python_here(search::Problem& problem);

}  // namespace nightshift::tools
