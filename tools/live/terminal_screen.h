#pragma once

#include <string>

namespace nightshift::tools {

// The terminal's second screen (xterm's alternate one), while a picture is shown that is drawn over
// itself: what was on the first one comes back untouched when it ends, and no picture is left in
// what the terminal scrolled away, whichever way it was resized. Lines drawn over themselves on the
// first screen cannot have that: a terminal that shrinks wraps them and scrolls them away, where no
// program reaches them.
//
// SIGTSTP (Ctrl-Z) gives the first screen back before the program stops. A program in the
// background draws nothing, and takes the second screen again when it is brought back. One at a
// time.
class TerminalScreen {
 public:
  explicit TerminalScreen(int terminal);
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  // Lines, each ended by "\n", narrower than the terminal and fewer than it has.
  void draw(const std::string& picture);
  // Gives the first screen back, for good, and writes this to it.
  void leave(const std::string& picture);

 private:
  int terminal_;
};

}  // namespace nightshift::tools
