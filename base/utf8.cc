#include "base/utf8.h"

namespace nightshift::base {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool too_large = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

std::string utf8_of(std::uint32_t code) {
  constexpr std::uint32_t kTwo = 0x80, kThree = 0x800, kFour = 0x10000, kLast = 0x10FFFF;
  constexpr std::uint32_t kSurrogates = 0xD800, kBehindSurrogates = 0xE000;
  const auto byte = [&](std::uint32_t lead, unsigned shift, std::uint32_t mask) {
    return static_cast<char>(lead | ((code >> shift) & mask));
  };
  const auto next = [&](unsigned shift) { return byte(0x80, shift, 0x3F); };
  if (code < kTwo) return {static_cast<char>(code)};
  if (code < kThree) return {byte(0xC0, 6, 0x1F), next(0)};
  if (code >= kSurrogates && code < kBehindSurrogates) return {};
  if (code < kFour) return {byte(0xE0, 12, 0x0F), next(6), next(0)};
  if (code > kLast) return {};
  return {byte(0xF0, 18, 0x07), next(12), next(6), next(0)};
}

}  // namespace nightshift::base
