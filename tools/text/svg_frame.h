#pragma once

#include <limits>
#include <string>
#include <vector>

namespace nightshift::tools {

inline constexpr const char* kBlue = "var(--blue)";
inline constexpr const char* kOrange = "var(--orange)";
inline constexpr const char* kGreen = "var(--green)";
inline constexpr const char* kRed = "var(--red)";
inline constexpr const char* kGrey = "var(--soft)";

struct ChartAxes {
  std::string title, x, y;
  bool log_x = false;
  bool from_zero = false;  // the y axis
  bool log_y = false;
};

// One axis of a chart: what it shows, where, and which values are written beside it. Values are
// those of the data; a logarithmic axis has no place for what is not positive.
class ChartScale {
 public:
  explicit ChartScale(bool logarithmic = false) : logarithmic_(logarithmic) {}
  bool shows(double value) const;
  void add(double value);
  void start_at_zero();
  // Called once when all is added: an empty or single value gets room, and `margin` of the range is
  // added at each end.
  void settle(double margin);

  double share(double value) const;  // 0 at the low end, 1 at the high
  double low() const { return low_; }
  double high() const { return high_; }

  struct Tick {
    double value = 0;
    std::string text;
  };
  // Round values (1, 2 or 5 times a power of ten) within the range, about `wanted` of them and two
  // at least, with as many digits as tell them apart.
  std::vector<Tick> ticks(int wanted) const;

 private:
  std::vector<Tick> even_ticks(int wanted) const;
  std::vector<Tick> decade_ticks(int wanted) const;

  bool logarithmic_;
  bool zero_ = false;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

struct ChartMargins {
  double left = 66, right = 14, top = 46, bottom = 44;
};

// The title, the axes and the elements drawn between them, in pixels of the picture.
class SvgFrame {
 public:
  static constexpr double kWidth = 480, kHeight = 300;

  SvgFrame(const ChartAxes& axes, const ChartScale& x, const ChartScale& y);
  // Without an axis at the left. A picture that is wider than kWidth is shown as wide as the page.
  SvgFrame(const ChartAxes& axes, const ChartScale& x, double height, ChartMargins margins,
           double width = kWidth);

  double left() const { return margins_.left; }
  double right() const { return width_ - margins_.right; }
  double top() const { return margins_.top; }
  double bottom() const { return height_ - margins_.bottom; }
  double x(double value) const { return left() + x_.share(value) * (right() - left()); }
  double y(double value) const { return bottom() - y_.share(value) * (bottom() - top()); }

  void add(const std::string& element) { body_ += element + "\n"; }
  void text(double x, double y, const std::string& text, const char* anchor, const char* colour);
  std::string done() const { return body_ + "</svg>\n"; }

 private:
  void open(const ChartAxes& axes);
  void draw_x(const ChartAxes& axes);
  void draw_y(const ChartAxes& axes);

  ChartScale x_, y_;
  double width_ = kWidth, height_ = kHeight;
  ChartMargins margins_;
  std::string body_;
};

}  // namespace nightshift::tools
