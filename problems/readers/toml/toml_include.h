#pragma once

#include <toml++/toml.h>

#include <vector>

#include "problems/override.h"
#include "problems/readers/diagnostics.h"

namespace nightshift::problems {

constexpr const char* kInclude = "include";

// Takes the list `include` out of `own` and puts under it what is listed: a word is a set of
// compiler options that comes with Nightshift (kernels/options/WORD.toml), a text with a slash or a
// dot a TOML file from the folder of the problem, which is the file of `diagnostics`. These have
// parameters, a baseline, constraints, names of [cuda.derived] and the study's settings, but
// nothing that names a file. What `own` says of a key goes before; constraints of all hold. Returns
// whether anything was included. Throws ProblemFileError.
bool include_tables(toml::table& own, const std::vector<Override>& overrides,
                    Diagnostics& diagnostics);

}  // namespace nightshift::problems
