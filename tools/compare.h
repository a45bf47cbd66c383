#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/override.h"
#include "tools/run/command_pair.h"

namespace nightshift::tools {

// Which of two or more is better? A problem or a study with contenders (tools/run/contender.h), or two
// commands.
struct CompareOptions {
  std::vector<std::string> what;        // PROBLEM A B..., PROBLEM B, STUDY, STUDY STUDY, ...
  std::optional<TwoCommands> commands;  // instead
  std::string devices = "all";
  std::optional<std::uint64_t> seed;  // of the order; nullopt = another one each time
  std::vector<kernels::Override> overrides;
  bool json = false;
  std::optional<std::string> page, markdown;  // files
  std::optional<std::string> check;           // of two commands' outputs (tools/run/output_check.h)

  // What stood behind each `--`, and the options that say what counts of it.
  std::vector<std::vector<std::string>> words;
  TwoCommands figure;
};

}  // namespace nightshift::tools
