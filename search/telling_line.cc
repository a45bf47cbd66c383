#include "search/telling_line.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace nightshift::search {
namespace {

// In small letters; looked for in letters of any size.
constexpr std::array<std::string_view, 9> kSigns = {"error:",
                                                    "undefined reference",
                                                    "multiple definition",
                                                    "cannot find -l",
                                                    "fatal:",
                                                    "exception:",
                                                    "panic:",
                                                    "panicked at",
                                                    "assertion"};

bool is_same_letter(char sign, char letter) {
  return sign == static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool has_sign(std::string_view line) {
  return std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) {
    return std::search(line.begin(), line.end(), sign.begin(), sign.end(),
                       [](char a, char b) { return is_same_letter(b, a); }) != line.end();
  });
}

}  // namespace

std::size_t first_error_line(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (has_sign(text.substr(begin, end - begin))) return begin;
    begin = end + 1;
  }
  return std::string_view::npos;
}

}  // namespace nightshift::search
