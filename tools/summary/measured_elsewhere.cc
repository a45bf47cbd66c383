#include "tools/summary/measured_elsewhere.h"

#include <string>
#include <variant>
#include <vector>

#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

bool is_measured_elsewhere(const search::Problem& problem) {
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  return command != nullptr && command->mode == search::CommandBackend::Mode::kServer &&
         command->argv == std::vector<std::string>{kElsewhere};
}

std::string search_command(const search::Problem& problem, const StudyFolder& folder) {
  return "nightshift search " + shell_word(problem.file) + " --serve --study " +
         shell_word(folder.shown());
}

void expect_measured_here(const search::Problem& problem, const StudyFolder& folder) {
  if (!is_measured_elsewhere(problem)) return;
  throw UsageError(folder.shown() + " is measured elsewhere: `" + search_command(problem, folder) +
                   "` goes on with it");
}

}  // namespace nightshift::tools
