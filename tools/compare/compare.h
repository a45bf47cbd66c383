#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "tools/compare/command_pair.h"

namespace nightshift::tools {

// Which of two or more is better? A problem or a study with contenders (tools/compare/contender.h),
// or two commands.
struct CompareOptions {
  std::vector<std::string> what;        // PROBLEM A B..., PROBLEM B, STUDY, STUDY STUDY, ...
  std::optional<TwoCommands> commands;  // instead
  std::string devices = "all";
  std::optional<double> wait;         // seconds, for devices that others use
  std::optional<std::uint64_t> seed;  // of the order; nullopt = another one each time
  std::vector<problems::Override> overrides;
  bool json = false;
  std::optional<std::string> page, markdown;  // files
  std::optional<std::string> apply;  // what a batch has found for the kernels of one command
  bool one_by_one = false;           // also where a group of these wins
  std::optional<std::string> check;  // of two commands' outputs (tools/compare/output_check.h)

  // What stood behind each `--`, and the options that say what counts of it.
  std::vector<std::vector<std::string>> words;
  TwoCommands figure;
};

}  // namespace nightshift::tools
