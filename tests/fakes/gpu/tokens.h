#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace fake_gpu {

struct Token {
  std::string_view text;
  std::size_t at = 0;
};

// May stand in a name.
bool is_name(char c);

// Names, literals and single characters; line markers of the preprocessor are left out.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace fake_gpu
