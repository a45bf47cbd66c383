// A table from elsewhere: it is refused, or every call of it ends and all forms of it are written. And
// a line of what a table has measured.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/table/formats/table_formats.h"
#include "tools/table/formats/table_kinds.h"
#include "tools/table/kept/table_store.h"
#include "tools/usage_error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto line = tools::stored_measurement(text)) {
    if (!tools::stored_measurement(tools::line_of(*line))) std::abort();
  }
  try {
    const tools::KindsDocument kinds = tools::read_kinds_document(text, "fuzz.json");
    for (const tools::TableFormat& format : tools::table_formats()) {
      if (format.written_of_kinds != nullptr) (void)format.written_of_kinds(kinds);
    }
  } catch (const tools::UsageError&) {
  }
  try {
    const tools::TableDocument document = tools::read_table_document(text, "fuzz.json");
    for (const std::int64_t n : {1, 64, 4096}) {
      search::Sizes sizes;
      for (const std::string& name : document.rule.names) sizes.emplace_back(name, n);
      const search::LookedUpCall call = search::look_up(document.rule, sizes);
      if (call.choice >= document.rule.configurations.size()) std::abort();
      (void)search::describe(document.rule, call, sizes);
    }
    for (const tools::TableFormat& format : tools::table_formats()) {
      if (format.written != nullptr) (void)format.written(document);
    }
  } catch (const tools::UsageError&) {
  }
  return 0;
}
