#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "problems/readers/recorded/figure_check.h"
#include "problems/readers/recorded/recording.h"

namespace nightshift::problems {

// Kernel Tuner's cache file: {device_name, kernel_name, tune_params_keys, tune_params, objective,
// cache: {"16,1": {each parameter, time (ms), times, compile_time, verification_time,
// benchmark_time, strategy_time, framework_time (ms)}, ...}}. A failure has an error's name instead
// of a figure, or in newer files a member `__error__`, or in old ones 1e20. Rows are read by the
// objective and in the order of the keys, wherever in the file these stand.
class KernelTunerCache final : public RecordingReader {
 public:
  static constexpr const char* kEntries = "cache";

  void header(const std::string& key, const Json& value) override;
  bool ready() const override { return !keys_.empty() || !listed_.empty(); }
  bool is_outdated() const override { return is_outdated_; }
  void forget_entries() override;
  void entry(const std::string& key, const Json& entry) override;
  Recording finish() override;

 private:
  void settle_names();

  Recording recording_;
  FigureCheck times_;
  bool is_outdated_ = false;
  std::vector<std::string> keys_;                                           // tune_params_keys
  std::vector<std::pair<std::string, std::vector<search::Value>>> listed_;  // tune_params
};

// While a cache is open its two closing brackets are missing, and a kill may cut an entry. The text
// up to the last whole entry, closed; nullopt where no entry was begun.
std::optional<std::string> close_cut_cache(std::string_view json);

}  // namespace nightshift::problems
