#include "tools/table/table_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "search/value.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

// Keywords of C++20 and of Python, and names of ours, in order.
constexpr std::array<std::string_view, 118> kWords{"CONFIGURATIONS",
                                                   "False",
                                                   "None",
                                                   "Row",
                                                   "True",
                                                   "alignas",
                                                   "alignof",
                                                   "and",
                                                   "and_eq",
                                                   "as",
                                                   "asm",
                                                   "assert",
                                                   "async",
                                                   "auto",
                                                   "await",
                                                   "bitand",
                                                   "bitor",
                                                   "bool",
                                                   "break",
                                                   "case",
                                                   "catch",
                                                   "char",
                                                   "char16_t",
                                                   "char32_t",
                                                   "char8_t",
                                                   "class",
                                                   "co_await",
                                                   "co_return",
                                                   "co_yield",
                                                   "compl",
                                                   "concept",
                                                   "const",
                                                   "const_cast",
                                                   "consteval",
                                                   "constexpr",
                                                   "constinit",
                                                   "continue",
                                                   "decltype",
                                                   "def",
                                                   "default",
                                                   "del",
                                                   "delete",
                                                   "do",
                                                   "double",
                                                   "dynamic_cast",
                                                   "elif",
                                                   "else",
                                                   "enum",
                                                   "except",
                                                   "explicit",
                                                   "export",
                                                   "extern",
                                                   "false",
                                                   "finally",
                                                   "float",
                                                   "for",
                                                   "friend",
                                                   "from",
                                                   "global",
                                                   "goto",
                                                   "if",
                                                   "import",
                                                   "in",
                                                   "inline",
                                                   "int",
                                                   "is",
                                                   "lambda",
                                                   "long",
                                                   "mutable",
                                                   "namespace",
                                                   "new",
                                                   "noexcept",
                                                   "nonlocal",
                                                   "not",
                                                   "not_eq",
                                                   "nullptr",
                                                   "operator",
                                                   "or",
                                                   "or_eq",
                                                   "pass",
                                                   "private",
                                                   "protected",
                                                   "public",
                                                   "raise",
                                                   "register",
                                                   "reinterpret_cast",
                                                   "requires",
                                                   "return",
                                                   "short",
                                                   "signed",
                                                   "sizeof",
                                                   "static",
                                                   "static_assert",
                                                   "static_cast",
                                                   "std",
                                                   "struct",
                                                   "switch",
                                                   "template",
                                                   "this",
                                                   "thread_local",
                                                   "throw",
                                                   "true",
                                                   "try",
                                                   "typedef",
                                                   "typeid",
                                                   "typename",
                                                   "union",
                                                   "unsigned",
                                                   "using",
                                                   "virtual",
                                                   "void",
                                                   "volatile",
                                                   "wchar_t",
                                                   "while",
                                                   "with",
                                                   "xor",
                                                   "xor_eq",
                                                   "yield"};
static_assert(std::ranges::is_sorted(kWords));

std::string in_comment(std::string_view text) {
  std::string safe = one_line(text);
  for (std::size_t at = safe.find("*/"); at != std::string::npos; at = safe.find("*/", at)) {
    safe.replace(at, 2, "* /");
  }
  if (safe.ends_with('\\')) safe += '.';  // which would join the next line to it
  return safe;
}

std::string claim_line(const TableDocument& d) {
  if (!d.claim.accepted) return "NOT SHOWN to be better than the default: " + d.claim.reason;
  return "Over all rows " + change_text(d) + " against the default (geometric mean, weighted)";
}

}  // namespace

std::string identifier(std::string_view name, const std::vector<std::string>& taken) {
  std::string own;
  for (const char c : name) own += base::is_letter(c) || base::is_digit(c) ? c : '_';
  if (own.empty() || base::is_digit(own.front())) own.insert(0, "n");
  if (own.front() == '_') own.insert(0, "n");
  if (std::ranges::binary_search(kWords, std::string_view(own))) own += '_';
  while (std::ranges::find(taken, own) != taken.end()) own += '_';
  return own;
}

std::vector<std::string> identifiers(const std::vector<std::string>& names) {
  std::vector<std::string> own;
  for (const std::string& name : names) own.push_back(identifier(name, own));
  return own;
}

std::string quoted_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

std::vector<std::string> provenance_of(const TableDocument& d) {
  std::vector<std::string> lines = {"Which configuration of " + d.problem +
                                        " a call gets by its sizes. Generated by nightshift " +
                                        d.version + ", " + d.made + ".",
                                    "Problem: " + d.problem_file};
  for (const std::string& device : d.devices) lines.push_back("Device: " + device);
  for (const auto& [name, value] : d.made_of) lines.push_back("Made of: " + name + " " + value);
  lines.push_back(claim_line(d));
  lines.emplace_back("A row that was not shown to be no worse than the default has the default.");
  for (std::string& line : lines) line = in_comment(line);
  return lines;
}

std::string condition_number(double threshold) {
  if (threshold == std::floor(threshold) && std::abs(threshold) < 1e18) {
    return fmt::format("{:.1f}", threshold);
  }
  return fmt::format("{:.17g}", threshold);
}

}  // namespace nightshift::tools
