#pragma once

#include <filesystem>

#include "kernels/readers/json_reader.h"
#include "kernels/readers/problem/host_problem.h"
#include "kernels/readers/t1/t1_names.h"

namespace nightshift::kernels {

// A KernelSpecification in C++ as a host backend.
PlacedHost read_t1_host(const JsonReader& kernel, const T1Names& names,
                        const std::filesystem::path& folder);

}  // namespace nightshift::kernels
