#include "tools/text/markup.h"

#include "tools/text/format.h"

namespace nightshift::tools {

std::string escaped_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string html_text(std::string_view text) { return escaped_text(one_line(text)); }

std::string html_block(std::string_view text) { return escaped_text(block(text, 0)); }

}  // namespace nightshift::tools
