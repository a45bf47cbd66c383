#pragma once

#include <string>
#include <string_view>

namespace nightshift::tools {

// Text for an element or an attribute of XML or HTML: & < > " ' as entities.
std::string escaped_text(std::string_view text);
// Text of any origin, also without control characters and broken UTF-8: as one_line().
std::string html_text(std::string_view text);
// The same of text in lines, for a <pre>: line ends and blanks stay.
std::string html_block(std::string_view text);

}  // namespace nightshift::tools
