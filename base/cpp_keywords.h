#pragma once

#include <string_view>

namespace nightshift::base {

// Whether nothing can be called so in C, C++20 or CUDA C++.
bool is_cpp_keyword(std::string_view word);

}  // namespace nightshift::base
