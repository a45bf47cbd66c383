// What a compiler prints: whatever it is, remarks are printable, and few.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "evaluator/cuda/build/compiler_remarks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string remarks = nightshift::evaluator::cuda::performance_remarks(text);
  if (remarks.size() > 1024) std::abort();
  for (const char c : remarks) {
    if (c < ' ' || c > '~') std::abort();
  }
  return 0;
}
