#pragma once

#include <filesystem>

#include "problems/readers/json_reader.h"
#include "problems/readers/problem/host_problem.h"
#include "problems/readers/t1/t1_names.h"

namespace nightshift::problems {

// A KernelSpecification in C++ as a host backend.
PlacedHost read_t1_host(const JsonReader& kernel, T1Names& names,
                        const std::filesystem::path& folder);

}  // namespace nightshift::problems
