#pragma once

#include <string>

namespace nightshift::base {

// Throws std::runtime_error that names the path.
std::string read_whole_file(const std::string& path);
// Empty where it cannot be read.
std::string text_if_there(const std::string& path);
// Other processes see the file as it was or as it will be, never half of it. Throws
// std::runtime_error.
void write_whole_file(const std::string& path, const std::string& bytes);

}  // namespace nightshift::base
