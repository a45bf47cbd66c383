#include "tools/text/page.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace nightshift::tools {

PageWidth page_width(int file) {
  PageWidth width;
  winsize size{};
  if (ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return width;
  width.lines = size.ws_col;
  width.paragraphs = std::min(width.paragraphs, width.lines);
  return width;
}

void print_page(const std::string& page) {
  std::fputs(folded(page, page_width(STDOUT_FILENO)).c_str(), stdout);
  std::fflush(stdout);
}

std::string json_text(const nlohmann::ordered_json& object) {
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void print_json(const nlohmann::ordered_json& object) {
  std::fputs(json_text(object).c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace nightshift::tools
