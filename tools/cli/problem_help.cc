#include "tools/cli/problem_help.h"

#include <algorithm>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "problems/problem_keys.h"
#include "tools/cli/key_page.h"
#include "tools/text/format.h"
#include "tools/text/markdown.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using problems::ProblemTable;

constexpr const char* kIntroduction =
    "A problem file is TOML. It has a name, parameters, and one of [host], [cuda], [command] and "
    "[recorded], or names a Python file that has them ([python]); all else may be left out. "
    "Expressions are Python-style, over parameters and "
    "sizes. Durations are seconds, or texts such as '90s', '1h30m', '2d' and '500ms'; sizes are "
    "bytes, "
    "or texts such as '64MiB' and '2GB'; shares are numbers, or texts such as '0.5%'.";

// "measure" of "[measure]" and "[[measure]]".
std::string without_brackets(const std::string& table) {
  const std::size_t begin = std::min(table.find_first_not_of('['), table.size());
  return table.substr(begin, table.find(']', begin) - begin);
}

std::string unknown_table(const std::string& name) {
  std::vector<std::string> known;
  for (const ProblemTable* table : problems::problem_tables()) {
    if (!table->name.empty()) known.push_back(table->name);
  }
  const std::string meant = base::did_you_mean(name, known);
  return "a problem file has no table '" + name + "'" +
         (meant.empty() ? "; known: " + base::list_of(known, "and") : meant);
}

}  // namespace

std::string problem_help(const std::string& table) {
  const std::string wanted = without_brackets(table);
  std::string text = wanted.empty() ? wrapped(kIntroduction, 0, kHelpWidth) : "";
  bool found = false;
  if (wanted.empty() && !table.empty()) throw UsageError(unknown_table(table));
  for (const ProblemTable* known : problems::problem_tables()) {
    const bool inner = known->name.starts_with(wanted + ".");
    if (!wanted.empty() && known->name != wanted && !inner) continue;
    found = true;
    text += (text.empty() ? "" : "\n") +
            wrapped(header_of(*known) + ": " + known->meaning, 0, kHelpWidth) + key_lines(*known);
  }
  if (!found) throw UsageError(unknown_table(wanted));
  return text;
}

std::string problem_reference() {
  std::string page =
      "# The keys of a problem file\n\nMade by `nightshift help problem --markdown`. " +
      std::string(kIntroduction) +
      " A key without a default says in its meaning what holds where it is absent. "
      "[problems/](../problems/README.md) explains how they belong together.\n";
  for (const ProblemTable* table : problems::problem_tables()) {
    page += "\n## " + (table->name.empty() ? "The file" : markdown_code(header_of(*table))) +
            "\n\n" + help_prose(table->meaning) + "\n\n" + key_rows(*table, "key");
  }
  return page;
}

}  // namespace nightshift::tools
