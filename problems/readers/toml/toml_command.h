#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::problems {

// Where [command] runs, by its `device`: "cpu", the default, or "gpu".
search::Target read_command_target(TableReader& command);
struct PlacedCommand {
  search::CommandBackend backend;
  std::vector<std::string> used;  // the parameters that a placeholder names
  int cores = 0;                  // of one program; 0 = all
};
// The rest of [command]; its figures belong to `objectives`, its placeholders to `parameters`.
PlacedCommand read_command(TableReader& command, search::Target target,
                           const std::vector<search::Objective>& objectives,
                           const std::vector<std::string>& parameters,
                           std::vector<search::FlagParameter> flags,
                           const std::filesystem::path& folder);

}  // namespace nightshift::problems
