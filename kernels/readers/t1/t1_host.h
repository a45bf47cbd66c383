#pragma once

#include <filesystem>

#include "kernels/readers/expression_text.h"
#include "kernels/readers/json_reader.h"
#include "kernels/readers/problem/host_problem.h"

namespace nightshift::kernels {

// A KernelSpecification in C++ as a host backend.
PlacedHost read_t1_host(const JsonReader& kernel, const KnownNames& names,
                        const std::filesystem::path& folder);

}  // namespace nightshift::kernels
