#pragma once

#include <string>

namespace nightshift::evaluator {

// Throws std::runtime_error that names the path.
std::string read_whole_file(const std::string& path);
// Other processes see the file as it was or as it will be, never half of it. Throws
// std::runtime_error.
void write_whole_file(const std::string& path, const std::string& bytes);

}  // namespace nightshift::evaluator
