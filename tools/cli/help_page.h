#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nightshift::tools {

// A page of help, which is written for wide pages, for one of `columns`: paragraphs are broken anew,
// and so is what stands beside an option, a key or an exit code, below where it begins. Examples,
// lines that begin with "  nightshift ", are to be copied and stay as they are. Words that are wider
// stay whole. A page that fits is left alone; npos: any does.
std::string help_page(std::string_view page, std::size_t columns);

}  // namespace nightshift::tools
