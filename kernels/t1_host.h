#pragma once

#include <filesystem>

#include "kernels/expression_text.h"
#include "kernels/host_problem.h"
#include "kernels/json_reader.h"

namespace nightshift::kernels {

// A KernelSpecification in C++ as a host backend.
PlacedHost read_t1_host(const JsonReader& kernel, const KnownNames& names,
                        const std::filesystem::path& folder);

}  // namespace nightshift::kernels
