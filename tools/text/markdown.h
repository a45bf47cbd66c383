#pragma once

#include <string>
#include <string_view>

namespace nightshift::tools {

// Markdown as GitHub and GitLab show it (CommonMark with tables). Text may be of any origin: it
// comes out as it stands, makes no markup, calls nobody by @name and breaks no table. All pure.

std::string markdown_text(std::string_view text);
// As code, in one line.
std::string markdown_code(std::string_view text);
// A block of lines as code.
std::string markdown_block(std::string_view text);

}  // namespace nightshift::tools
