#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/problem/host_backend.h"

namespace nightshift::evaluator {

// Where `complaint`, the words of a compiler started in `directory` with `options`, says that the
// function of `source` is not there: a line that names those that are. Else empty.
std::string missing_function(const search::HostSource& source,
                             const std::vector<std::string>& options, const std::string& directory,
                             const std::string& complaint);

// Where `complaint`, the words of a linker, says that nobody defines what a library is known for: a line
// that names the option which brings it. Else empty.
std::string missing_library(std::string_view complaint);

}  // namespace nightshift::evaluator
