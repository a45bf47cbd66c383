#include "tools/text/svg_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/text/markup.h"

namespace nightshift::tools {
namespace {

constexpr const char* kInk = "var(--ink)";

// The smallest of 1, 2 and 5 times a power of ten that is not below `least`, which is positive.
double round_step(double least) {
  least = std::clamp(least, 1e-300, 1e307);  // so that all of this are numbers
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// With the digits that a difference of `step` needs.
std::string tick_text(double value, double step) {
  if (std::abs(value) < step / 1e6) value = 0;
  const double size = std::abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-4)) {
    const double places = std::floor(std::log10(size)) - std::floor(std::log10(step) + 1e-9);
    const std::string text =
        fmt::format("{:.{}e}", value, std::clamp(static_cast<int>(places), 0, 9));
    return text;
  }
  const int digits = static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  return fmt::format("{:.{}f}", value, std::clamp(digits, 0, 12));
}

}  // namespace

bool ChartScale::shows(double value) const {
  return std::isfinite(value) && (!logarithmic_ || value > 0);
}

void ChartScale::add(double value) {
  if (!shows(value)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

void ChartScale::start_at_zero() {
  zero_ = true;
  if (low_ <= high_) low_ = std::min(low_, 0.0);
}

void ChartScale::settle(double margin) {
  if (!(low_ <= high_)) {
    low_ = logarithmic_ ? 1 : 0;
    high_ = logarithmic_ ? 10 : 1;
  }
  if (logarithmic_) {
    const double from = std::log(low_), to = std::log(high_);
    const double room = std::max((to - from) * margin, high_ > low_ ? 0.0 : 0.01);
    low_ = std::max(std::exp(from - room), std::numeric_limits<double>::denorm_min());
    high_ = std::min(std::exp(to + room), std::numeric_limits<double>::max());
    return;
  }
  if (zero_ && low_ == 0 && high_ == 0) high_ = 1;
  const double room = high_ > low_ ? high_ * margin - low_ * margin
                      : low_ == 0  ? 1
                                   : std::abs(low_) * 0.01;
  if (!zero_ || low_ < 0) low_ = std::max(low_ - room, std::numeric_limits<double>::lowest());
  high_ = std::min(high_ + room, std::numeric_limits<double>::max());
}

double ChartScale::share(double value) const {
  if (logarithmic_) {
    const double from = std::log(low_), to = std::log(high_);
    return to > from ? (std::log(value) - from) / (to - from) : 0.5;
  }
  const double range = high_ - low_;
  if (!(range > 0)) return 0.5;
  if (std::isfinite(range)) return (value - low_) / range;
  return (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2);
}

std::vector<ChartScale::Tick> ChartScale::even_ticks(int wanted) const {
  const double step = round_step(high_ / wanted - low_ / wanted);
  std::vector<Tick> ticks;
  const double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; i <= 2 * wanted; ++i) {
    const double value = (first + i) * step;
    if (value > high_ + step * 1e-9) break;
    ticks.push_back({value, tick_text(value, step)});
  }
  return ticks;
}

std::vector<ChartScale::Tick> ChartScale::decade_ticks(int wanted) const {
  const double from = std::floor(std::log10(low_)), to = std::ceil(std::log10(high_));
  const auto collect = [&](std::initializer_list<double> factors, int stride) {
    std::vector<Tick> ticks;
    for (double decade = from; decade <= to; decade += stride) {
      for (const double factor : factors) {
        const double value = factor * std::pow(10, decade);
        if (value < low_ * (1 - 1e-9) || value > high_ * (1 + 1e-9)) continue;
        ticks.push_back({value, fmt::format("{:g}", value)});
      }
    }
    return ticks;
  };
  const auto limit = static_cast<std::size_t>(wanted) + 2;
  for (const auto& factors : {std::initializer_list<double>{1, 2, 5}, {1, 3}, {1}}) {
    std::vector<Tick> ticks = collect(factors, 1);
    if (ticks.size() <= limit) return ticks;
  }
  return collect({1}, static_cast<int>((to - from) / wanted) + 1);
}

std::vector<ChartScale::Tick> ChartScale::ticks(int wanted) const {
  std::vector<Tick> ticks;
  if (logarithmic_) ticks = decade_ticks(wanted);
  if (ticks.size() < 3) {
    // A short stretch of a logarithmic axis is nearly even.
    std::vector<Tick> even = even_ticks(wanted);
    if (!logarithmic_ || high_ < 4 * low_ || even.size() < 2) return even;
  }
  return ticks;
}

SvgFrame::SvgFrame(const ChartAxes& axes, const ChartScale& x, const ChartScale& y) : x_(x), y_(y) {
  open(axes);
  draw_y(axes);
  draw_x(axes);
}

SvgFrame::SvgFrame(const ChartAxes& axes, const ChartScale& x, double height, ChartMargins margins,
                   double width)
    : x_(x), width_(width), height_(height), margins_(margins) {
  open(axes);
  draw_x(axes);
}

void SvgFrame::text(double x, double y, const std::string& text, const char* anchor,
                    const char* colour) {
  add(
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" style=\"fill:{}\">{}"
                  "</text>",
                  x, y, anchor, colour, html_text(text)));
}

void SvgFrame::open(const ChartAxes& axes) {
  body_ = fmt::format(
      "<svg{} viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\" font-size=\"12\" "
      "font-family=\"sans-serif\">\n<text x=\"4\" y=\"15\" font-size=\"14\" "
      "font-weight=\"600\">{}</text>\n",
      width_ > kWidth ? " class=\"wide\"" : "", width_, height_, html_text(axes.title),
      html_text(axes.title));
}

void SvgFrame::draw_x(const ChartAxes& axes) {
  for (const ChartScale::Tick& tick : x_.ticks(width_ > kWidth ? 10 : 5)) {
    add(
        fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" "
                    "style=\"stroke:var(--grid)\"/>",
                    x(tick.value), top(), bottom()));
    text(x(tick.value), bottom() + 16, tick.text, "middle", kInk);
  }
  text((left() + right()) / 2, height_ - 8, axes.x, "middle", kInk);
}

void SvgFrame::draw_y(const ChartAxes& axes) {
  for (const ChartScale::Tick& tick : y_.ticks(5)) {
    add(
        fmt::format("<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" "
                    "style=\"stroke:var(--grid)\"/>",
                    left(), right(), y(tick.value)));
    text(left() - 6, y(tick.value) + 4, tick.text, "end", kInk);
  }
  add(
      fmt::format("<text transform=\"translate(13 {:.1f}) rotate(-90)\" "
                  "text-anchor=\"middle\">{}</text>",
                  (top() + bottom()) / 2, html_text(axes.y)));
}

}  // namespace nightshift::tools
