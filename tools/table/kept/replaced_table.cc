#include "tools/table/kept/replaced_table.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/file_text.h"
#include "base/text.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTold = 8;  // rows in the sentence

std::string choice_text(const TableDocument& d, const search::TableRow& row) {
  return row.choice == 0 ? "the default" : format_configuration(d.rule.configurations[row.choice]);
}

// "N=64: TILE=8 -> the default", of rows that both have.
std::vector<std::string> changed_rows(const TableDocument& before, const TableDocument& now) {
  std::vector<std::string> changed;
  for (const search::TableRow& row : now.rule.rows) {
    const auto old = std::ranges::find(before.rule.rows, row.sizes, &search::TableRow::sizes);
    if (old == before.rule.rows.end()) continue;
    const std::string was = choice_text(before, *old), is = choice_text(now, row);
    if (was != is) changed.push_back(search::text_of(row.sizes) + ": " + was + " -> " + is);
  }
  return changed;
}

std::string told(std::vector<std::string> changed) {
  const std::string count = count_of(changed.size(), "row");
  const bool all = changed.size() <= kMostTold;
  if (!all) changed.resize(kMostTold);
  return count + (changed.size() == 1 && all ? " has" : " have") +
         " another choice now: " + base::joined(changed, "; ") + (all ? "" : "; ...");
}

}  // namespace

std::string put_aside(const std::string& path) {
  std::error_code failed;
  std::string aside;
  for (int number = 1; fs::exists(path, failed); ++number) {
    aside = path + "." + std::to_string(number);
    if (!fs::exists(aside, failed)) fs::rename(path, aside, failed);
    if (failed) throw UsageError(path + " cannot be put aside: " + failed.message());
  }
  return aside;
}

std::string put_aside_replaced(const std::string& file, const TableDocument& now) {
  std::error_code failed;
  if (!fs::exists(file, failed)) return {};
  TableDocument before;
  try {
    before = read_table_document(base::read_whole_file(file), file);
  } catch (const UsageError& error) {
    return std::string(error.what()) + ": it is kept as " + put_aside(file);
  }
  std::vector<std::string> changed = changed_rows(before, now);
  if (changed.empty()) return {};
  const std::string aside = put_aside(file);
  return "the table of " + before.made + " is kept as " + aside + "; " + told(std::move(changed));
}

}  // namespace nightshift::tools
