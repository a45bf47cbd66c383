#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/text/format.h"

namespace nightshift::tools {

// Of what is written to `file`: no wider than the terminal where it is one, and paragraphs no wider
// than elsewhere, since longer lines are hard to read.
PageWidth page_width(int file);

// Writes a page to standard output, folded to its width.
void print_page(const std::string& page);
// Writes an object to standard output, for scripts; bytes that are no UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& object);
std::string json_text(const nlohmann::ordered_json& object);  // what it writes

}  // namespace nightshift::tools
