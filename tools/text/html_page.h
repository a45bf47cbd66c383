#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::tools {

// Pages of HTML that need nothing but themselves: no scripts, no other files, no network. Light or
// dark as the reader prefers, light on paper. Charts (tools/text/svg_chart.h) use the page's
// colours.

// Text of any origin for a page, in elements and in attributes: & < > " ' as entities, control
// characters and broken UTF-8 as by one_line.
std::string html_text(std::string_view text);

// The same of text in lines, for a <pre>: line ends and blanks stay.
std::string html_block(std::string_view text);

std::string html_page(std::string_view title, const std::string& body);
// A heading and what stands below it; nothing where that is empty.
std::string html_section(std::string_view title, const std::string& body);
std::string html_paragraph(std::string_view text);
// A link to a file beside the page, by its path from there.
std::string html_link(std::string_view text, std::string_view path);
// First cells of a table that become links, with their paths.
using HtmlLinks = std::map<std::string, std::string>;
// The first row has the headings. Rows that have `mark` in their last cell stand out.
std::string html_table(const std::vector<std::vector<std::string>>& rows,
                       std::string_view mark = {}, const HtmlLinks& links = {});
// A name and its value in each row.
std::string html_facts(const std::vector<std::vector<std::string>>& rows);
// Charts and tables beside each other where there is room.
std::string html_beside(const std::string& body);

}  // namespace nightshift::tools
