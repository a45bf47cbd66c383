#include "problems/budget_text.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "base/quantity.h"
#include "search/value.h"

namespace nightshift::problems {
namespace {

// As a TOML number; whole seconds without a fraction.
std::string seconds_text(double seconds) {
  const bool whole = seconds == std::floor(seconds) && seconds < 1e15;
  return whole ? std::to_string(static_cast<std::int64_t>(seconds)) : search::to_text(seconds);
}

}  // namespace

std::optional<std::vector<Override>> read_budget(std::string_view text) {
  if (text.ends_with('t')) {
    const auto trials = base::parse_count(text.substr(0, text.size() - 1));
    if (!trials || *trials == 0) return std::nullopt;
    return std::vector<Override>{{"budget.trials", std::to_string(*trials)}, {"budget.time", "0"}};
  }
  const auto seconds = base::parse_seconds(text);
  if (!seconds || *seconds <= 0) return std::nullopt;
  return std::vector<Override>{{"budget.time", seconds_text(*seconds)}, {"budget.trials", "0"}};
}

}  // namespace nightshift::problems
