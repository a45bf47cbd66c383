#pragma once

#include <string>
#include <string_view>

namespace nightshift::testing_paths {

// Absolute path of a file of the source tree, by its path from the top.
std::string source(std::string_view inner);
// Absolute path of a program of this build.
std::string program(std::string_view name);

}  // namespace nightshift::testing_paths
