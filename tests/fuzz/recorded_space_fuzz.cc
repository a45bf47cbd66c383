// Any text as a recorded space: a space whose trials are found again, or a RecordedSpaceError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "problems/recorded_space.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift::problems;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const RecordedSpace space = RecordedSpace::parse(text, "fuzz.json");
    for (const RecordedTrial& trial : space.trials()) {
      if (space.find(trial.configuration) != &trial) std::abort();
    }
  } catch (const RecordedSpaceError&) {
  }
  return 0;
}
