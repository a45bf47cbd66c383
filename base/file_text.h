#pragma once

#include <string>

namespace nightshift::base {

// Of what stands in the place of a file: "is a folder", "is no regular file". FIFOs and devices make
// whoever opens them wait, or never end. Empty: a file, nothing, or what cannot be told.
std::string not_a_file(const std::string& path);
// Of regular files alone. Throws std::runtime_error that names the path.
std::string read_whole_file(const std::string& path);
// Empty where it cannot be read, or is no regular file.
std::string text_if_there(const std::string& path);
// In place. Throws std::system_error that names the path and says why: the code is that of the system.
void write_file(const std::string& path, const std::string& bytes);
void append_to_file(const std::string& path, const std::string& bytes);
// Other processes see the file as it was or as it will be, never half of it. Throws the same, and
// leaves nothing beside it.
void write_whole_file(const std::string& path, const std::string& bytes);

}  // namespace nightshift::base
