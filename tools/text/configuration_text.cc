#include "tools/text/configuration_text.h"

#include <cstddef>
#include <optional>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

constexpr std::size_t kWide = 160;  // columns: two lines of a page

struct Difference {
  std::string text;
  std::size_t alike = 0;
};

// Nothing where there is no configuration to differ from.
std::optional<Difference> difference_of(const search::Configuration& c,
                                        const search::Problem& problem) {
  const auto baseline = search::baseline_configuration(problem);
  if (!baseline) return std::nullopt;
  Difference difference;
  for (const auto& [name, value] : c.entries()) {
    const search::Value* before = baseline->find(name);
    if (before != nullptr && search::same_value(*before, value)) {
      ++difference.alike;
      continue;
    }
    difference.text += (difference.text.empty() ? "" : " ") + one_line(name) + "=" +
                       one_line(format_choice(value));
    if (before != nullptr) difference.text += " (not " + one_line(format_choice(*before)) + ")";
  }
  return difference;
}

}  // namespace

std::string difference_text(const search::Configuration& c, const search::Problem& problem) {
  const auto difference = difference_of(c, problem);
  if (!difference) return format_configuration(c);
  return difference->text.empty() ? "as the baseline" : difference->text;
}

std::string configuration_text(const search::Configuration& c, const search::Problem& problem) {
  std::string whole = format_configuration(c);
  const auto difference = difference_of(c, problem);
  if (width_of(whole) <= kWide || !difference || difference->alike == 0) return whole;
  return (difference->text.empty() ? "" : difference->text + "; ") +
         count_of(difference->alike, "parameter") + " as in the baseline";
}

}  // namespace nightshift::tools
