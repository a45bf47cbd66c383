#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::kernels {

// Where [command] runs, by its `device`: "cpu", the default, or "gpu".
search::Target read_command_target(TableReader& command);
// The rest of [command]; its figures belong to `objectives`, its placeholders to `parameters`.
search::CommandBackend read_command(TableReader& command, search::Target target,
                                    const std::vector<search::Objective>& objectives,
                                    const std::vector<std::string>& parameters,
                                    const std::filesystem::path& folder);

}  // namespace nightshift::kernels
