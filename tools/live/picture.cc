#include "tools/live/picture.h"

#include <algorithm>
#include <cmath>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

const char* escape_of(Style style) {
  switch (style) {
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kBad:
      return "\x1b[31m";
    case Style::kPlain:
      break;
  }
  return "";
}

}  // namespace

std::string picture_of(const std::vector<PictureLine>& lines, const PictureSize& size) {
  std::string picture;
  for (std::size_t i = 0; i < std::min(lines.size(), size.rows()); ++i) {
    const std::string text = fit(lines[i].text, size.columns());
    const bool painted = size.colour && lines[i].style != Style::kPlain;
    picture += painted ? escape_of(lines[i].style) + text + "\x1b[0m" : text;
    picture += "\n";
  }
  return picture;
}

std::string progress_bar(double fraction, std::size_t width) {
  const double part = std::clamp(fraction, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(part * static_cast<double>(width));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "] " +
         std::to_string(static_cast<int>(std::floor(part * 100))) + " %";
}

std::size_t bar_width(const PictureSize& size, std::size_t label) {
  const std::size_t taken = label + 12;  // brackets, percentage, a margin
  return size.width > taken + 8 ? std::min<std::size_t>(size.width - taken, 60) : 10;
}

}  // namespace nightshift::tools
