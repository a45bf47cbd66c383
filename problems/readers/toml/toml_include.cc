#include "problems/readers/toml/toml_include.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
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

std::string names_of_sets() {
  std::string names;
  for (const Set& set : kSets) {
    names += std::string(names.empty() ? "" : ", ") + "'" + set.name + "'";
  }
  return names;
}

class Includer {
 public:
  Includer(const toml::table& own, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), has_cuda_(own["cuda"].is_table()) {
    if (const toml::table* derived = own["cuda"]["derived"].as_table()) {
      for (const auto& [key, node] : *derived) own_names_.emplace(key.str());
    }
  }

  toml::table read(const LocatedString& what) {
    for (const Set& set : kSets) {
      if (what.text != set.name) continue;
      return parsed(what, "include \"" + what.text + "\"", set.text);
    }
    if (what.text.find_first_of("./") == std::string::npos) {
      return refused(what,
                     ", which is neither a set of options (" + names_of_sets() + ") nor a file");
    }
    const std::filesystem::path folder = std::filesystem::absolute(folder_of(diagnostics_.file()));
    const std::string file = (folder / what.text).lexically_normal().string();
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) {
      return parsed(what, file, read_maybe_gzip(file));
    }
    return refused(what, " (" + file + "), which is no file");
  }

  // Problems say what is launched and where its files are; what several of them share has the rest.
  void check(const toml::table& included) {
    static constexpr std::array<std::string_view, 9> kShared = {
        "parameters", "baseline", "constraints", "measure", "limits",
        "budget",     "schedule", "acceptance",  "device"};
    for (const auto& [key, node] : included) {
      const std::string_view name = key.str();
      if (name == "cuda" && node.is_table()) {
        check_derived(*node.as_table());
      } else if (std::ranges::find(kShared, name) == kShared.end()) {
        refuse_key(key, name);
      }
    }
  }

 private:
  toml::table parsed(const LocatedString& what, const std::string& name, std::string_view text) {
    diagnostics_.set_includer(name, what.location);
    try {
      return parse_toml(text, name);
    } catch (const ProblemFileError& error) {
      for (const Diagnostic& mistake : error.diagnostics()) {
        diagnostics_.add({mistake.file, mistake.line, mistake.column}, mistake.message);
      }
      return {};
    }
  }

  toml::table refused(const LocatedString& what, const std::string& why) {
    diagnostics_.add(what.location, "include names " + in_quotes(what.text) + why);
    return {};
  }

  void refuse_key(const toml::key& key, std::string_view name) {
    diagnostics_.add(
        location_of(key.source()),
        "what is included has parameters, a baseline, constraints, [cuda.derived], and "
        "settings of the study but [search]; " +
            in_quotes(name) + " is none of them");
  }

  void check_derived(const toml::table& cuda) {
    for (const auto& [key, node] : cuda) {
      if (key.str() != "derived") refuse_key(key, "cuda." + std::string(key.str()));
    }
    const toml::table* derived = cuda["derived"].as_table();
    if (derived == nullptr) return;
    if (!has_cuda_) {
      diagnostics_.add(location_of(derived->source()),
                       "[cuda.derived] is included by a problem without [cuda]");
      return;
    }
    for (const auto& [key, node] : *derived) check_once(key);
  }

  // Which of two files that know nothing of each other goes before is not to be guessed.
  void check_once(const toml::key& key) {
    const std::string name(key.str());
    const SourceLocation place = location_of(key.source());
    const auto [earlier, is_first] = derived_.emplace(name, place);
    if (is_first || own_names_.contains(name)) return;
    diagnostics_.add(place, "derived name " + in_quotes(name) + " stands in " +
                                place_of(earlier->second) +
                                " as well: keep one of them, or say it in the problem");
  }

  Diagnostics& diagnostics_;
  const bool has_cuda_;
  std::set<std::string> own_names_;                // derived ones of the problem
  std::map<std::string, SourceLocation> derived_;  // those of what was included so far
};

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

bool include_tables(toml::table& own, const std::vector<Override>& overrides,
                    Diagnostics& diagnostics) {
  toml::table asked = taken(own, kInclude, overrides, diagnostics);
  if (asked.empty()) return false;
  TableReader root(asked, problem_file_keys(), "", diagnostics);
  std::vector<std::string> texts;
  root.strings(kInclude, texts);
  diagnostics.throw_if_any();
  Includer includer(own, diagnostics);
  for (const toml::node& element : *asked[kInclude].as_array()) {
    toml::table table = includer.read(located_string(element));
    includer.check(table);
    diagnostics.throw_if_any();
    add_constraints(own, table);
    put_over(table, own);
    own = std::move(table);
  }
  return true;
}

}  // namespace nightshift::problems
