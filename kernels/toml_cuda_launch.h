#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/expression_text.h"
#include "kernels/table_reader.h"
#include "search/cuda_problem.h"

namespace nightshift::kernels {

// Reads one [[cuda.launch]]. `arguments` are the names of all arguments. nullopt where it is wrong.
std::optional<search::CudaLaunch> read_launch(TableReader& table, const KnownNames& names,
                                              const std::vector<std::string>& arguments);

// One that serves all configurations, as those of the reference do: over no parameter.
std::optional<search::CudaLaunch> read_common_launch(TableReader& table, const KnownNames& names,
                                                     const std::vector<std::string>& arguments);

}  // namespace nightshift::kernels
