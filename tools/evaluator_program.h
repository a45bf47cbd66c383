#pragma once

#include <string>

namespace nightshift::tools {

// The program beside this one. Throws std::runtime_error where it is missing.
std::string evaluator_program();

}  // namespace nightshift::tools
