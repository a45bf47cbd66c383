#pragma once

#include <string>

#include "tools/text/format.h"

namespace nightshift::tools {

// Of what is written to `file`: no wider than the terminal where it is one, and paragraphs no wider
// than elsewhere, since longer lines are hard to read.
PageWidth page_width(int file);

// Writes a page to standard output, folded to its width.
void print_page(const std::string& page);

}  // namespace nightshift::tools
