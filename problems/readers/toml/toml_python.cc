#include "problems/readers/toml/toml_python.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "problems/problem_keys.h"
#include "problems/readers/file_paths.h"
#include "problems/readers/table_reader.h"
#include "problems/readers/toml/toml_merge.h"
#include "problems/readers/toml/toml_text.h"

namespace nightshift::problems {
namespace {

// A case without a name is called by its number, as text.
void spell_number(toml::table& asked) {
  toml::table* keys = asked[kPython].as_table();
  if (keys == nullptr) return;
  if (const auto number = (*keys)["case"].value_exact<std::int64_t>()) {
    keys->insert_or_assign("case", std::to_string(*number));
  }
}

}  // namespace

std::optional<toml::table> described_table(toml::table& own, const std::string& path,
                                           const std::vector<Override>& overrides,
                                           const Describer& describe) {
  Diagnostics diagnostics(path);
  toml::table asked = taken(own, kPython, overrides, diagnostics);
  if (asked.empty()) return std::nullopt;
  spell_number(asked);
  TableReader root(asked, problem_file_keys(), "", diagnostics);
  auto table = root.subtable(kPython);
  diagnostics.throw_if_any();
  std::string file;
  Description what;
  if (table->require("file")) table->string("file", file);
  table->string("problem", what.problem);
  table->string("case", what.which);
  table->finish();
  const std::filesystem::path program =
      (std::filesystem::absolute(folder_of(path)) / file).lexically_normal();
  std::error_code error;
  diagnostics.throw_if_any();
  if (!std::filesystem::is_regular_file(program, error)) {
    table->error("file", "names " + program.string() + ", which is no file");
  } else if (!describe) {
    table->error("file", "cannot be described here");
  }
  diagnostics.throw_if_any();
  const std::string label = program.string() + ", as it is described";
  what.file = program.string();
  toml::table described = parse_toml(describe(what), label);
  put_over(described, own);
  described.erase(kPython);
  return described;
}

}  // namespace nightshift::problems
