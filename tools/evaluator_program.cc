#include "tools/evaluator_program.h"

#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace nightshift::tools {

std::string evaluator_program() {
  const std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "nightshift-evaluator";
  if (access(path.c_str(), X_OK) != 0) {
    throw std::runtime_error(path.string() +
                             " is missing or cannot be run; it must stand beside nightshift");
  }
  return path.string();
}

}  // namespace nightshift::tools
