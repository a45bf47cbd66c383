#pragma once

#include <functional>
#include <string>

namespace nightshift::kernels {

// Asks a program for the problem that `file`, absolute, describes: the text of a TOML problem file.
// `which` is one of its cases; empty = its own. Throws ProblemFileError.
using Describer = std::function<std::string(const std::string& file, const std::string& which)>;

}  // namespace nightshift::kernels
