#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nightshift::tools {

// A picture for a terminal, in lines. All pure.

enum class Style : std::uint8_t { kPlain, kBold, kDim, kGood, kBad };

struct PictureLine {
  std::string text;
  Style style = Style::kPlain;
};

// Columns and rows of a terminal, and how much of them a picture fills: one less of each, so that
// the terminal neither wraps nor scrolls.
struct PictureSize {
  std::size_t width = 80;
  std::size_t height = 24;
  bool colour = false;
  std::size_t columns() const { return width > 2 ? width - 1 : 1; }
  std::size_t rows() const { return height > 2 ? height - 1 : 1; }
};

// The lines that fit, each cut to its width and ended by "\n".
std::string picture_of(const std::vector<PictureLine>& lines, const PictureSize& size);

// "[#####.....] 50 %"
std::string progress_bar(double fraction, std::size_t width);
// How long one is that has `label` characters beside it on a terminal of that width.
std::size_t bar_width(const PictureSize& size, std::size_t label);

}  // namespace nightshift::tools
