#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nightshift::problems {

enum class JsonFormat : std::uint8_t {
  kNone,
  kT1,
  kKernelTunerCache,
  kT4,
  kKtt,
  kKttXml,
  kUnknown
};

// Which of the community's formats a text is in, told by the member names that each needs; kNone
// for a text that is neither a JSON object nor KTT's XML. Looks for the names alone and parses
// nothing.
JsonFormat recognise(std::string_view text);

// Line and column of a byte, both from 1.
struct TextPosition {
  int line = 1;
  int column = 1;
};
TextPosition position_in(std::string_view text, std::size_t offset);

}  // namespace nightshift::problems
