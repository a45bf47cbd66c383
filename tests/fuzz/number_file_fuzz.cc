// The head of a file of numbers: it is read or refused, and what is read lies within the file.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "problems/number_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto head =
        problems::number_head(text.substr(0, std::min(size, problems::kMostHead)), size);
    if (head.offset > size) std::abort();
    if (head.elements > (size - head.offset) / search::bytes_of(head.type)) std::abort();
  } catch (const problems::NumberFileError&) {
  }
  return 0;
}
