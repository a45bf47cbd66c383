#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nightshift::tools {

// Markdown as GitHub and GitLab show it (CommonMark with tables). Text may be of any origin: it
// comes out as it stands, makes no markup, calls nobody by @name and breaks no table. All pure.

std::string markdown_text(std::string_view text);
// As code, in one line.
std::string markdown_code(std::string_view text);
// A block of lines as code.
std::string markdown_block(std::string_view text);
// The first row has the headings; nothing for headings alone.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);
// What is shown once its title is clicked on; nothing where `body` is empty.
std::string markdown_details(std::string_view title, const std::string& body);

}  // namespace nightshift::tools
