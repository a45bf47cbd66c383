#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/readers/table_reader.h"
#include "search/argument.h"
#include "search/objective.h"
#include "search/problem/command_backend.h"
#include "search/target.h"

namespace nightshift::problems {

// Where [command] runs, by its `device`: "cpu", the default, or "gpu".
search::Target read_command_target(TableReader& command);
struct PlacedCommand {
  search::CommandBackend backend;
  std::vector<std::string> used;  // the parameters that a placeholder names
  int cores = 0;                  // of one program; 0 = all
  search::CaseTerms cases = {};
};
// The rest of [command]; its figures belong to `objectives`, whose units they settle where the file
// does not, its placeholders to `parameters`.
PlacedCommand read_command(TableReader& command, search::Target target,
                           std::vector<search::Objective>& objectives,
                           const std::vector<std::string>& parameters,
                           std::vector<search::FlagParameter> flags,
                           const std::filesystem::path& folder);

// Notes parameters of the file, whose root it is, that no placeholder names. A server gets all of
// them.
void check_uses(const toml::table& root, const PlacedCommand& command, Diagnostics& diagnostics);

}  // namespace nightshift::problems
