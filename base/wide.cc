#include "base/wide.h"

#include <algorithm>

namespace nightshift::base {

std::string to_string(Wide n) {
  std::string reversed;
  do {
    reversed += static_cast<char>('0' + static_cast<int>(n % 10));
    n /= 10;
  } while (n != 0);
  std::ranges::reverse(reversed);
  return reversed;
}

std::optional<Wide> parse_wide(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Wide n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<unsigned>(c - '0');
    if (n > (~Wide{0} - digit) / 10) return std::nullopt;
    n = n * 10 + digit;
  }
  return n;
}

}  // namespace nightshift::base
