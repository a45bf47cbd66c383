#pragma once

#include <termios.h>

#include <optional>

#include "tools/live/picture.h"

namespace nightshift::tools {

// Whether pictures can be drawn on `file`: a terminal that is not called "dumb".
bool is_capable_terminal(int file);
// NO_COLOR (no-color.org) declines them.
bool colours_wanted();
// A terminal that is not the controlling one has no foreground. Asynchronous-signal-safe.
bool is_in_foreground(int terminal) noexcept;
// Asked at every redraw, so that a resized terminal needs no signal.
PictureSize terminal_size(int terminal);

// Keys of a terminal, each as it is pressed and without being shown. Ctrl-C and Ctrl-Z stay
// signals. The terminal is as it was when this goes.
class TerminalKeys {
 public:
  // Where `terminal` is none there are no keys.
  explicit TerminalKeys(int terminal);
  ~TerminalKeys();
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;

  // Waits for a key; nullopt: `milliseconds` are over, or a signal came. A shell takes the mode
  // back while the program is stopped, so that it is set anew at each call.
  std::optional<char> next(int milliseconds);

 private:
  void take_mode();

  int terminal_;
  std::optional<termios> before_;
};

}  // namespace nightshift::tools
