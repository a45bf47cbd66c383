#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace nightshift::tools {

// One line on standard error that is drawn over itself, ten times a second at most; nothing where
// that is no terminal. It is wiped when this goes.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& text);
  void clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
  std::optional<std::chrono::steady_clock::time_point> drawn_at_;
};

}  // namespace nightshift::tools
