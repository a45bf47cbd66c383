#pragma once

#include <string>
#include <string_view>

#include "problems/problem_file_error.h"
#include "problems/readers/table_reader.h"
#include "problems/readers/toml/toml_depth.h"

namespace nightshift::problems {

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
    throw ProblemFileError({{path, static_cast<int>(at.line), static_cast<int>(at.column),
                             "no valid TOML: " + std::string(error.description())}});
  }
}

}  // namespace nightshift::problems
