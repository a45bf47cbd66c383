// A file that may be what `nightshift export --format json` wrote: any text is read or refused, and
// what is read has sound figures.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/bundle/stored_export.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto stored = nightshift::tools::read_export({reinterpret_cast<const char*>(data), size});
  if (!stored) return 0;
  if (!std::isfinite(stored->ratio) || stored->ratio <= 0) std::abort();
  if (!(stored->interval.low <= stored->interval.high)) std::abort();
  for (const auto& part : stored->made_of) {
    if (nightshift::search::part_of(nightshift::search::key_of(part), part.value) != part) {
      std::abort();
    }
  }
  return 0;
}
