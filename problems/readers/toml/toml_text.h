#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>

#include "base/whole_range.h"
#include "problems/problem_file_error.h"
#include "problems/readers/table_reader.h"
#include "problems/readers/toml/toml_depth.h"

namespace nightshift::problems {

// What the parser says, and where a number is too large, how far numbers go.
inline std::string complaint_of(const toml::parse_error& error) {
  std::string said(error.description());
  // The second is what the parser says of 1e400.
  if (said.find("not representable in 64 bits") != std::string::npos ||
      said.find("could not be interpreted as a value") != std::string::npos) {
    said += "; " + std::string(base::kWholeRange) + ", and others as far as a double does";
  }
  return said;
}

// The example that a line such as `type = float32` asks for; empty where it is another mistake.
inline std::string hint_of_quotes(std::string_view text, std::size_t line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  static const std::regex bare(
      R"(\s*([A-Za-z0-9_.-]+)\s*=\s*([A-Za-z_./-][A-Za-z0-9_./+:<>-]*)\s*(#.*)?\r?)");
  constexpr std::size_t kLongest = 200;  // the library recurses
  const std::string one(text.substr(0, std::min(text.find('\n'), kLongest)));
  std::smatch match;
  if (!std::regex_match(one, match, bare)) return "";
  return "; a text stands in quotes: " + match.str(1) + " = \"" + match.str(2) + "\"";
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
          "no valid TOML: " + complaint_of(error) + hint_of_quotes(text, at.line)}});
  }
}

}  // namespace nightshift::problems
