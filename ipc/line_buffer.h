#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nightshift::ipc {

// Bytes as they arrive, taken out as whole lines.
class LineBuffer {
 public:
  void append(std::string_view bytes) {
    text_.erase(0, begin_);
    begin_ = 0;
    text_ += bytes;
  }

  // Without its end; nullopt while no line is complete.
  std::optional<std::string> next_line() {
    const std::size_t end = text_.find('\n', begin_);
    if (end == std::string::npos) return std::nullopt;
    std::string line = text_.substr(begin_, end - begin_);
    begin_ = end + 1;
    return line;
  }
  std::size_t pending() const { return text_.size() - begin_; }  // bytes, whole lines too
  std::string unfinished() const { return text_.substr(begin_); }
  void clear() {
    text_.clear();
    begin_ = 0;
  }

 private:
  std::string text_;
  std::size_t begin_ = 0;  // what is before has been taken out
};

}  // namespace nightshift::ipc
