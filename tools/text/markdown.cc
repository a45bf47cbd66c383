#include "tools/text/markdown.h"

#include <algorithm>
#include <cstddef>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

// Longer than any run of the mark in the text, which would end it.
std::string fence_for(std::string_view text, std::size_t least) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(least, longest + 1), '`');
}

}  // namespace

std::string markdown_text(std::string_view text) {
  // What begins some markup anywhere in a line.
  constexpr std::string_view kMarks = "\\`*_[#|~$";
  std::string escaped;
  for (const char c : one_line(text)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '@') {
      escaped += "<span>@</span>";  // a name behind it is another piece of text
    } else {
      if (kMarks.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  // A list, a heading's line or a number, at the beginning alone.
  if (!escaped.empty() && std::string_view("-+=").find(escaped.front()) != std::string_view::npos) {
    escaped.insert(0, 1, '\\');
  }
  return escaped;
}

std::string markdown_code(std::string_view text) {
  const std::string line = one_line(text);
  const std::string fence = fence_for(line, 1);
  const bool touches = line.empty() || line.front() == '`' || line.back() == '`';
  const std::string blank = touches ? " " : "";
  return fence + blank + line + blank + fence;
}

std::string markdown_block(std::string_view text) {
  if (text.empty()) return "";
  const std::string lines = block(text, 0);
  const std::string fence = fence_for(lines, 3);
  return fence + "text\n" + lines + fence + "\n";
}

}  // namespace nightshift::tools
