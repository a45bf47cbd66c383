#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/document/document.h"

namespace nightshift::tools {

// For print_page(), which folds it to the width of a terminal. No chart is drawn.
std::string to_text(const Document& document);
// Blocks alone, behind a margin.
std::string to_text(const std::vector<Block>& blocks, std::size_t indent);
// A page of HTML that needs nothing but itself: no scripts, no other files, no network. Light or
// dark as the reader prefers, light on paper.
std::string to_html(const Document& document);
// As GitHub and GitLab show it (CommonMark with tables), short at first: what is folded opens by a
// click. No chart is drawn.
std::string to_markdown(const Document& document);

}  // namespace nightshift::tools
