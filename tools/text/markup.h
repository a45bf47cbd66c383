#pragma once

#include <string>
#include <string_view>

namespace nightshift::tools {

// Text for an element or an attribute of XML or HTML: & < > " ' as entities.
std::string escaped_text(std::string_view text);

}  // namespace nightshift::tools
