// A file of configurations that were found before: it is read or refused.
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "problems/readers/problem/found_starts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift;
  try {
    problems::read_found(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const std::runtime_error&) {
  }
  return 0;
}
