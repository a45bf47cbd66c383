#include "problems/readers/toml/toml_include.h"

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "problems/problem_keys.h"
#include "problems/readers/file_paths.h"
#include "problems/readers/table_reader.h"
#include "problems/readers/toml/toml_merge.h"
#include "problems/readers/toml/toml_text.h"
#include "problems/recorded_space.h"

namespace nightshift::problems {
namespace {

struct Set {
  const char* name;
  std::string_view text;
};
constexpr std::array<Set, 4> kSets = {{
    {
        "gcc",
#include "problems/readers/toml/gcc_options.inc"
    },
    {
        "clang",
#include "problems/readers/toml/clang_options.inc"
    },
    {
        "nvrtc",
#include "problems/readers/toml/nvrtc_options.inc"
    },
    {
        "nvcc",
#include "problems/readers/toml/nvcc_options.inc"
    },
}};

toml::table included(const LocatedString& what, const std::string& path, Diagnostics& diagnostics) {
  for (const Set& set : kSets) {
    if (what.text == set.name) return parse_toml(set.text, "include \"" + what.text + "\"");
  }
  if (what.text.find_first_of("./") == std::string::npos) {
    std::string names;
    for (const Set& set : kSets)
      names += std::string(names.empty() ? "" : ", ") + "'" + set.name + "'";
    diagnostics.add(what.location, "include names " + in_quotes(what.text) +
                                       ", which is neither a set of options (" + names +
                                       ") nor a file");
    return {};
  }
  const std::filesystem::path file =
      (std::filesystem::absolute(folder_of(path)) / what.text).lexically_normal();
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    diagnostics.add(what.location, "include names " + file.string() + ", which is no file");
    return {};
  }
  return parse_toml(read_maybe_gzip(file.string()), file.string());
}

void check_keys(const toml::table& table, const LocatedString& what, Diagnostics& diagnostics) {
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    if (name == "parameters" || name == "baseline" || name == "constraints") continue;
    diagnostics.add(location_of(key.source()),
                    "what is included (" + in_quotes(what.text) +
                        ") has parameters, a baseline and constraints; " +
                        in_quotes(std::string(name)) + " is none of them");
  }
}

// Behind those that are there.
void add_constraints(toml::table& under, toml::table& table) {
  toml::array* more = table["constraints"].as_array();
  toml::array* own = under["constraints"].as_array();
  if (own == nullptr || more == nullptr) return;
  for (toml::node& one : *own) {
    one.visit([&](auto& value) { more->push_back(std::move(value)); });
  }
  under.erase("constraints");
}

}  // namespace

bool include_tables(toml::table& own, const std::string& path,
                    const std::vector<Override>& overrides) {
  Diagnostics diagnostics(path);
  toml::table asked = taken(own, kInclude, overrides, diagnostics);
  if (asked.empty()) return false;
  TableReader root(asked, problem_file_keys(), "", diagnostics);
  std::vector<std::string> texts;
  root.strings(kInclude, texts);
  diagnostics.throw_if_any();
  for (const toml::node& element : *asked[kInclude].as_array()) {
    const LocatedString what = located_string(element);
    toml::table table = included(what, path, diagnostics);
    check_keys(table, what, diagnostics);
    diagnostics.throw_if_any();
    add_constraints(own, table);
    put_over(table, own);
    own = std::move(table);
  }
  return true;
}

}  // namespace nightshift::problems
