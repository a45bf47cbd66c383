#pragma once

#include <string>
#include <string_view>

#include "kernels/problem_file_error.h"
#include "kernels/readers/table_reader.h"

namespace nightshift::kernels {

// `path` is for messages. Throws ProblemFileError where the text is no TOML.
inline toml::table parse_toml(std::string_view text, const std::string& path) {
  try {
    return toml::parse(text, std::string_view(path));
  } catch (const toml::parse_error& error) {
    const toml::source_position& at = error.source().begin;
    throw ProblemFileError({{path, static_cast<int>(at.line), static_cast<int>(at.column),
                             "no valid TOML: " + std::string(error.description())}});
  }
}

}  // namespace nightshift::kernels
