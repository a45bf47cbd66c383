#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace nightshift::base {

// Of ASCII; all other bytes stay.
inline std::string in_small_letters(std::string_view text) {
  std::string letters(text);
  std::ranges::transform(letters, letters.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return letters;
}

}  // namespace nightshift::base
