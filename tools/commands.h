#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/problem_file.h"
#include "search/problem.h"
#include "tools/exit_code.h"
#include "tools/run/command_pair.h"

namespace nightshift::tools {

// The subcommands of `nightshift`: what each is asked, and the function that does it. Each
// function stands in the file of its name and throws what main.cc turns into a message.

struct TuneOptions {
  std::string problem;
  std::string study;  // folder; empty = studies/NAME-TIME
  std::string devices = "all";
  std::vector<kernels::Override> overrides;
  bool json = false;
};
ExitCode tune(const TuneOptions& options);

struct ResumeOptions {
  std::string study;
  std::vector<kernels::Override> overrides;  // of the budget; empty = the study's own
  bool json = false;
};
ExitCode resume(const ResumeOptions& options);

struct ExplainOptions {
  std::string study;
  std::uint64_t trial = 0;
};
ExitCode explain(const ExplainOptions& options);

struct ReportOptions {
  std::string study;
  std::optional<std::string> page;  // HTML file to write in place of the text
};
ExitCode report(const ReportOptions& options);

enum class ExportFormat : std::uint8_t { kT4, kCsv, kJson, kHeader };
struct ExportOptions {
  std::string study;
  ExportFormat format = ExportFormat::kJson;
  std::string output;  // file; empty = standard output
};
ExitCode export_study(const ExportOptions& options);

struct DevicesOptions {
  bool json = false;
};
ExitCode devices(const DevicesOptions& options);

// Which of two is better? A problem or a study with up to two contenders (tools/run/contender.h),
// or two commands.
struct CompareOptions {
  std::vector<std::string> what;        // PROBLEM A B, PROBLEM B, STUDY, STUDY STUDY, ...
  std::optional<TwoCommands> commands;  // instead
  std::string devices = "all";
  std::optional<std::uint64_t> seed;  // of the order; nullopt = another one each time
  std::vector<kernels::Override> overrides;
  bool json = false;
};
ExitCode compare(const CompareOptions& options);

// Characterises each device by the baseline alone, before anyone tunes on it.
struct NoiseOptions {
  std::string problem;
  std::string devices = "all";
  int evaluations = 64;  // on each device
  std::string page;      // HTML file to write; empty = none
  std::vector<kernels::Override> overrides;
  bool json = false;
};
ExitCode noise(const NoiseOptions& options);

// Runs a command while GPUs are held at a clock or power limit; its exit code is returned.
struct LockClocksOptions {
  search::DeviceSettings settings;
  std::string devices = "all";
  std::vector<std::string> command;
};
ExitCode lock_clocks(const LockClocksOptions& options);

using Command =
    std::variant<TuneOptions, ResumeOptions, ExplainOptions, ReportOptions, ExportOptions,
                 DevicesOptions, CompareOptions, NoiseOptions, LockClocksOptions>;

}  // namespace nightshift::tools
