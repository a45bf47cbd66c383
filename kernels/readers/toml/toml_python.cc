#include "kernels/readers/toml/toml_python.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "kernels/problem_keys.h"
#include "kernels/readers/file_paths.h"
#include "kernels/readers/overrides.h"
#include "kernels/readers/table_reader.h"
#include "kernels/readers/toml/toml_text.h"

namespace nightshift::kernels {
namespace {

// Only moved nodes keep the place that they were read at.
void put_over(toml::table& under, toml::table& own) {
  for (auto&& [key, node] : own) {
    toml::node* there = under.get(key.str());
    if (there != nullptr && there->is_table() && node.is_table()) {
      put_over(*there->as_table(), *node.as_table());
    } else {
      node.visit([&](auto& value) { under.insert_or_assign(key, std::move(value)); });
    }
  }
}

}  // namespace

std::optional<toml::table> described_table(toml::table& own, const std::string& path,
                                           const std::vector<Override>& overrides,
                                           const Describer& describe) {
  Diagnostics diagnostics(path);
  toml::table asked;
  if (toml::node* node = own.get(kPython)) {
    node->visit([&](auto& value) { asked.insert(kPython, std::move(value)); });
    own.erase(kPython);
  }
  std::vector<Override> of_python;
  std::ranges::copy_if(overrides, std::back_inserter(of_python), [](const Override& setting) {
    return setting.first == kPython || setting.first.starts_with(std::string(kPython) + ".");
  });
  apply_overrides(asked, of_python, diagnostics);
  if (asked.empty()) return std::nullopt;
  TableReader root(asked, problem_file_keys(), "", diagnostics);
  auto table = root.subtable(kPython);
  diagnostics.throw_if_any();
  std::string file, which;
  if (table->require("file")) table->string("file", file);
  table->string("case", which);
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
  toml::table described = parse_toml(describe(program.string(), which), label);
  put_over(described, own);
  described.erase(kPython);
  return described;
}

std::string text_of(const toml::table& table) {
  std::ostringstream text;
  text << table << '\n';
  return text.str();
}

}  // namespace nightshift::kernels
