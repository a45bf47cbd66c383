#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "problems/problem_file_error.h"
#include "problems/readers/parse_complaint.h"
#include "problems/readers/table_reader.h"
#include "problems/readers/toml/toml_depth.h"

namespace nightshift::problems {

// The example that a bare word asks for, as in `type = float32`; empty where there is none at that
// place, both from 1.
inline std::string hint_of_quotes(std::string_view text, std::size_t line, std::size_t column) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (column == 0 || column > text.size()) return "";
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./+:<>-").find(c) != std::string_view::npos;
  };
  // The parser has taken "f" of float32 for that of false.
  while (column > 1 && is_part(text[column - 2])) --column;
  const std::string_view behind = text.substr(column - 1);
  const auto is_key = [&](char c) { return is_part(c) && c != '<' && c != '>' && c != '+'; };
  std::size_t length = 0;
  while (length < behind.size() && is_part(behind[length])) ++length;
  const char first = behind.front();
  if (length == 0 || std::isdigit(static_cast<unsigned char>(first)) != 0) return "";
  std::string_view before = text.substr(0, column - 1);
  const auto strip = [&](char c) {
    while (!before.empty() && before.back() == c) before.remove_suffix(1);
  };
  strip(' ');
  std::string key;
  if (before.ends_with('=')) {
    before.remove_suffix(1);
    strip(' ');
    std::size_t begin = before.size();
    while (begin > 0 && is_key(before[begin - 1])) --begin;
    key = std::string(before.substr(begin)) + " = ";
  }
  return "; a text stands in quotes: " + key + "\"" + std::string(behind.substr(0, length)) + "\"";
}

// `path` is for messages. Throws ProblemFileError where the text is no TOML.
inline toml::table parse_toml(std::string_view text, const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  if (text.size() > kMostBytes) {
    throw ProblemFileError({{path, 0, 0, "is TOML of more than 16 MiB, which no problem needs"}});
  }
  if (const auto line = too_deep(text)) {
    throw ProblemFileError({{path, *line, 0, "nests deeper than any problem file does"}});
  }
  try {
    return toml::parse(text, std::string_view(path));
  } catch (const toml::parse_error& error) {
    const toml::source_position& at = error.source().begin;
    throw ProblemFileError(
        {{path, static_cast<int>(at.line), static_cast<int>(at.column),
          "no valid TOML: " + complaint_of(error) + hint_of_quotes(text, at.line, at.column)}});
  }
}

}  // namespace nightshift::problems
