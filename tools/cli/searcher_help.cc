#include "tools/cli/searcher_help.h"

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
    "A searcher decides what is tried next: `[search] searcher`, or `--searcher`. Its options "
    "stand "
    "under `[search.options]`, or come as `--set search.options.NAME=VALUE`; whatever is not said "
    "is "
    "as "
    "here. A study keeps what it was begun with.";

std::string page_of(const ProblemTable& searcher) {
  return wrapped(searcher.name + ": " + searcher.meaning, 0, kHelpWidth) + key_lines(searcher);
}

}  // namespace

std::string searcher_help(const std::string& searcher) {
  std::string text = searcher.empty() ? wrapped(kIntroduction, 0, kHelpWidth) : "";
  std::vector<std::string> names;
  for (const ProblemTable* known : problems::searcher_tables()) {
    names.push_back(known->name);
    if (!searcher.empty() && known->name != searcher) continue;
    text += (text.empty() ? "" : "\n") + page_of(*known);
  }
  if (!text.empty()) return text;
  const std::string meant = base::did_you_mean(searcher, names);
  throw UsageError("there is no searcher '" + searcher + "'" +
                   (meant.empty() ? "; there are " + base::list_of(names, "and") : meant));
}

std::string searcher_reference() {
  std::string page =
      "# The searchers and their options\n\nMade by `nightshift help searchers "
      "--markdown`. " +
      help_prose(kIntroduction) +
      " [search/](../search/README.md#the-searchers) says what each is good for.\n";
  for (const ProblemTable* searcher : problems::searcher_tables()) {
    page += "\n## " + markdown_code(searcher->name) + "\n\n" + help_prose(searcher->meaning) +
            "\n\n" + key_rows(*searcher, "option");
  }
  return page;
}

}  // namespace nightshift::tools
