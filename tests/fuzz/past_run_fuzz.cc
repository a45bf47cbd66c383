// A line of a history that anybody may have edited: it is read or refused, what is read has sound
// figures, and is the same once more when it is written.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/tools/all_there.h"
#include "tools/document/document_writers.h"
#include "tools/history/history_report.h"
#include "tools/history/past_run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift::tools;
  const auto run = past_run_of({reinterpret_cast<const char*>(data), size});
  if (!run) return 0;
  for (const auto& figure : {run->baseline, run->best, run->ceiling, run->ratio}) {
    if (figure && !(std::isfinite(*figure) && *figure > 0)) std::abort();
  }
  if (run->accepted && !run->ratio) std::abort();
  if (!(run->interval.low <= run->interval.high)) std::abort();
  const std::string line = line_of(*run);
  const auto again = past_run_of(line);
  if (!again || line_of(*again) != line) std::abort();
  nightshift::tests::AllThere there;
  const HistoryReport report{"history", 0, series_of({*run, *again}, there)};
  if (to_text(document_of(report)).empty() || to_html(document_of(report)).empty()) std::abort();
  return 0;
}
