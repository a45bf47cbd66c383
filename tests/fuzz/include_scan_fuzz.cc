// Sources of kernels. Names of includes are what may stand between quotes or brackets, each once;
// whatever follows, an include at the end of the text is found. Declarations stand in the text.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>

#include "evaluator/sources/include_scan.h"
#include "evaluator/sources/told_names.h"

namespace {

using nightshift::evaluator::IncludeScan;
using nightshift::evaluator::scan_includes;

void expect(bool holds) {
  if (!holds) std::abort();
}

bool finds(const IncludeScan& scan, const std::string& name) {
  for (const auto& include : scan.names) {
    if (include.name == name && include.quoted) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const IncludeScan scan = scan_includes(text);
  std::set<std::tuple<std::string, bool>> seen;
  for (const auto& include : scan.names) {
    expect(seen.emplace(include.name, include.quoted).second);
    expect(include.name.find_first_of(include.quoted ? "\"\n" : ">\n") == std::string::npos);
  }
  // A directive on a line of its own is found wherever it stands, and what stood before it still.
  const IncludeScan more = scan_includes(text + "\n\n#include \"last.h\"\n");
  expect(finds(more, "last.h"));
  expect(more.computed || !scan.computed);
  for (const auto& include : scan.names) {
    expect(!include.quoted || more.computed || finds(more, include.name));
  }
  const nightshift::search::ToldNames told = {{"M", std::int64_t{1}}, {"main", std::int64_t{2}}};
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  for (const auto& one : nightshift::evaluator::declarations_of(told, text)) {
    expect(one.which < told.size() && one.line >= 1 && one.line <= lines);
    expect(text.find(told[one.which].first) != std::string::npos);
  }
  return 0;
}
