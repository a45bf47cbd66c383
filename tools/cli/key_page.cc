#include "tools/cli/key_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "base/text.h"
#include "tools/text/format.h"
#include "tools/text/markdown.h"

namespace nightshift::tools {
namespace {

using problems::ProblemKey;
using problems::ProblemTable;

struct KindText {
  std::string operator()(const problems::Text& text) const { return std::string(text.what); }
  std::string operator()(const problems::Texts&) const { return "list of texts"; }
  std::string operator()(const problems::Truth&) const { return "true or false"; }
  std::string operator()(const problems::Integer& integer) const {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    if (integer.least == -kMost && integer.most == kMost) return "integer";
    if (integer.most == kMost) return fmt::format("integer, {} or more", integer.least);
    return fmt::format("integer, {} to {}", integer.least, integer.most);
  }
  std::string operator()(const problems::Number& number) const {
    constexpr double kAny = 1e299;  // beyond it a bound is there for form's sake
    if (number.least < -kAny && number.most > kAny) return "number";
    if (number.most <= kAny) return fmt::format("number, {} to {}", number.least, number.most);
    const bool above = number.least > 0 && number.least < 1 / kAny;
    return above ? "number above 0" : fmt::format("number, {} or more", number.least);
  }
  std::string operator()(const problems::Share& share) const {
    return fmt::format("share, {} to {}", share.least, share.most);
  }
  std::string operator()(const problems::Duration& duration) const {
    return duration.least > 0 ? "duration above 0" : "duration";
  }
  std::string operator()(const problems::Bytes& bytes) const {
    return bytes.least > 0 ? "size above 0" : "size";
  }
  std::string operator()(const problems::Choice& choice) const {
    std::vector<std::string> words;
    for (const std::string& word : choice.words) words.push_back("'" + word + "'");
    return base::list_of(words, "or");
  }
  std::string operator()(const problems::Table&) const { return "table"; }
  std::string operator()(const problems::Tables&) const { return "tables"; }
  std::string operator()(const problems::Mixed& mixed) const { return std::string(mixed.what); }
};

bool is_table(const ProblemKey& key) {
  return std::holds_alternative<problems::Table>(key.kind) ||
         std::holds_alternative<problems::Tables>(key.kind);
}

std::string fallback_of(const ProblemKey& key) {
  if (key.presence == problems::Presence::kRequired) return "required";
  return key.fallback.empty() ? "" : "= " + key.fallback;
}

std::string kind_of(const ProblemKey& key) {
  if (is_table(key)) return header_of(*key.table);
  const std::string of_types =
      key.table != nullptr && !std::holds_alternative<problems::Mixed>(key.kind)
          ? ", or [" + key.table->name + "]"
          : "";
  return std::visit(KindText{}, key.kind) + of_types;
}

std::string text_of(const ProblemKey& key) { return kind_of(key) + ": " + key.meaning; }

// To the heading of that table, as web pages of repositories name it.
std::string link_to(const ProblemTable& table) {
  std::string anchor;
  for (const char c : table.name) {
    if (c != '.') anchor += base::is_letter(c) ? base::in_small_letters({&c, 1}).front() : c;
  }
  return fmt::format("[{}](#{})", markdown_code(header_of(table)), anchor);
}

// A row of the page; what is written in a file stands as code.
std::string row_of(const ProblemKey& key) {
  const bool required = key.presence == problems::Presence::kRequired;
  const std::string fallback = required               ? "required"
                               : key.fallback.empty() ? ""
                                                      : markdown_code(key.fallback);
  return fmt::format("| {} | {} | {} | {} |\n", markdown_code(key.name), fallback,
                     is_table(key) ? link_to(*key.table) : markdown_text(kind_of(key)),
                     help_prose(key.meaning));
}

}  // namespace

std::string header_of(const ProblemTable& table) {
  if (table.name.empty()) return "The file";
  return table.repeated ? "[[" + table.name + "]]" : "[" + table.name + "]";
}

std::string key_lines(const ProblemTable& table) {
  std::size_t names = 0, fallbacks = 0;
  for (const ProblemKey& key : table.keys) {
    names = std::max(names, width_of(key.name));
    fallbacks = std::max(fallbacks, width_of(fallback_of(key)));
  }
  std::string page;
  for (const ProblemKey& key : table.keys) {
    const std::string opening = "  " + padded(key.name, names) + "  " +
                                padded(fallback_of(key), fallbacks) + (fallbacks > 0 ? "  " : "");
    page += opening + wrapped(text_of(key), width_of(opening), kHelpWidth).substr(opening.size());
  }
  return page;
}

std::string key_rows(const ProblemTable& table, std::string_view key) {
  std::string rows = fmt::format("| {} | default | value | meaning |\n|---|---|---|---|\n", key);
  for (const ProblemKey& row : table.keys) rows += row_of(row);
  return rows;
}

std::string help_prose(std::string_view meaning) {
  std::string text;
  for (bool is_code = false;; is_code = !is_code) {
    const std::size_t end = std::min(meaning.find('`'), meaning.size());
    const std::string_view part = meaning.substr(0, end);
    if (part.starts_with(' ') && !text.empty()) text += ' ';  // markdown_text() takes no blanks
    text += is_code ? markdown_code(part) : markdown_text(part);
    if (part.ends_with(' ')) text += ' ';
    if (end == meaning.size()) return text;
    meaning.remove_prefix(end + 1);
  }
}

}  // namespace nightshift::tools
