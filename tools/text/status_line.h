#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

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
  void warn(const std::string& text);  // as below, in the line's place

 private:
  bool terminal_ = false;
  bool shown_ = false;
  std::optional<std::chrono::steady_clock::time_point> drawn_at_;
};

// "nightshift: warning: ..." for each, on standard error.
void warn(const std::vector<std::string>& warnings);

}  // namespace nightshift::tools
