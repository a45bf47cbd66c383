#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "problems/override.h"

namespace nightshift::problems {

constexpr const char* kInclude = "include";

// Takes the list `include` out of `own` and puts under it what is listed: a word is a set of compiler
// options that comes with Nightshift (kernels/options/WORD.toml), a text with a slash or a dot a TOML
// file from the problem's folder. These have parameters, a baseline and constraints. What `own` says of
// a parameter goes before; constraints of all hold. Returns whether anything was included. Throws
// ProblemFileError.
bool include_tables(toml::table& own, const std::string& path,
                    const std::vector<Override>& overrides);

}  // namespace nightshift::problems
