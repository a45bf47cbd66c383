#include "tools/text/status_line.h"

#include <unistd.h>

#include <cstdio>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

constexpr std::chrono::milliseconds kRedrawPeriod{100};
constexpr std::size_t kWidth = 79;

}  // namespace

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) == 1) {}
StatusLine::~StatusLine() { clear(); }

void StatusLine::show(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || (drawn_at_ && now - *drawn_at_ < kRedrawPeriod)) return;
  drawn_at_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r%s\x1b[K", fit(one_line(text), kWidth).c_str());
  std::fflush(stderr);
}

void StatusLine::clear() {
  if (!shown_) return;
  shown_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

void StatusLine::warn(const std::string& text) {
  clear();
  tools::warn({text});
}

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::fprintf(stderr, "nightshift: warning: %s\n", one_line(warning).c_str());
  }
}

}  // namespace nightshift::tools
