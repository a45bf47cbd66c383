#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/readers/expression_text.h"
#include "problems/readers/table_reader.h"
#include "search/cuda_problem.h"

namespace nightshift::problems {

class KernelSignatures;

// The names that launches take their arguments by, in the order of the file.
struct LaunchArguments {
  std::vector<std::string> arguments;
  std::vector<std::string> maps;
  const KernelSignatures* signatures = nullptr;  // of the source that has the kernels
  bool compiler_says = false;  // grid, block and arguments may be left to a served compiler
};

// Reads one [[cuda.launch]]. nullopt where it is wrong.
std::optional<search::CudaLaunch> read_launch(TableReader& table, const KnownNames& names,
                                              const LaunchArguments& arguments);

// One that serves all configurations, as those of the reference do: over no parameter, and so
// without tensor maps.
std::optional<search::CudaLaunch> read_common_launch(TableReader& table, const KnownNames& names,
                                                     const LaunchArguments& arguments);

}  // namespace nightshift::problems
