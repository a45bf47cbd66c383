#include "tools/summary/measured_elsewhere.h"

#include <string>
#include <variant>
#include <vector>

namespace nightshift::tools {

bool is_measured_elsewhere(const search::Problem& problem) {
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  return command != nullptr && command->mode == search::CommandBackend::Mode::kServer &&
         command->argv == std::vector<std::string>{kElsewhere};
}

}  // namespace nightshift::tools
