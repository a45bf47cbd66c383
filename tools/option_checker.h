#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/commands.h"

namespace nightshift::tools {

// The checks of options that CLI11 does not do. Each takes the text of an option, an empty one
// being an option that was not given, and hands on what it means; what is wrong is added to the
// list.
class OptionChecker {
 public:
  using Overrides = std::vector<kernels::Override>;

  void budget(const std::string& text, Overrides& overrides);
  // A whole number, as the value of `key`.
  void number(const char* option, const std::string& text, const char* key, Overrides& overrides);
  void settings(const std::vector<std::string>& texts, Overrides& overrides);  // KEY=VALUE
  void confidence(const std::string& text, Overrides& overrides);
  void pairs(const std::string& text, Overrides& overrides);
  void min_difference(const std::string& text, Overrides& overrides);  // "0.5%"
  void seed(const std::string& text, std::optional<std::uint64_t>& seed);
  void evaluations(const std::string& text, int& evaluations);
  void trial(const std::string& text, std::uint64_t& trial);
  void megahertz(const char* option, const std::string& text, int& mhz);
  void watts(const std::string& text, double& watts);  // of --power
  void format(const std::string& text, ExportFormat& format);
  // What `compare` is about; `commands` are the words behind each `--`, `figure` the options that
  // say what counts of them.
  void contest(const std::vector<std::vector<std::string>>& commands, const TwoCommands& figure,
               CompareOptions& compare);

  // `commands` are the words behind `--`.
  void clocks(const std::vector<std::vector<std::string>>& commands, LockClocksOptions& clocks);

  const std::vector<std::string>& mistakes() const { return mistakes_; }

 private:
  std::vector<std::string> mistakes_;
};

// "10m", "90s", "1.5h", "1h30m" limit the time, "400t" the number of configurations; the limit
// replaces the other one's. Throws UsageError.
std::vector<kernels::Override> budget_overrides(std::string_view text);

}  // namespace nightshift::tools
