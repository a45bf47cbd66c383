// Any text as KTT's results in XML: entries that a reader takes, or a RecordedSpaceError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "problems/readers/recorded/ktt_results.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift::problems;
  try {
    KttResults results;
    read_ktt_xml({reinterpret_cast<const char*>(data), size}, results);
    const Recording recording = results.finish();
    for (const RecordedTrial& trial : recording.trials) {
      const bool good = trial.build_seconds >= 0 && trial.measure_seconds >= 0;
      if (!good || trial.values.size() > 1) std::abort();
    }
  } catch (const RecordedSpaceError&) {
  }
  return 0;
}
