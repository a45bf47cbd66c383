#include "tools/live/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace nightshift::tools {

bool is_capable_terminal(int file) {
  const char* kind = std::getenv("TERM");
  return isatty(file) == 1 && kind != nullptr && std::string_view(kind) != "dumb" &&
         std::string_view(kind) != "";
}

bool colours_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour == nullptr || *no_colour == '\0';
}

bool is_in_foreground(int terminal) noexcept {
  const pid_t group = tcgetpgrp(terminal);
  return group < 0 || group == getpgrp();
}

PictureSize terminal_size(int terminal) {
  winsize size{};
  if (ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row, false};
}

TerminalKeys::TerminalKeys(int terminal) : terminal_(terminal) {
  termios mode{};
  if (isatty(terminal_) == 1 && tcgetattr(terminal_, &mode) == 0) before_ = mode;
}

TerminalKeys::~TerminalKeys() {
  if (before_ && is_in_foreground(terminal_)) tcsetattr(terminal_, TCSANOW, &*before_);
}

void TerminalKeys::take_mode() {
  termios now{};
  // Setting it from the background would stop the program.
  if (!is_in_foreground(terminal_) || tcgetattr(terminal_, &now) != 0) return;
  if ((now.c_lflag & (ICANON | ECHO)) == 0) return;
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  now.c_cc[VMIN] = 1;
  now.c_cc[VTIME] = 0;
  tcsetattr(terminal_, TCSANOW, &now);
}

std::optional<char> TerminalKeys::next(int milliseconds) {
  if (before_) take_mode();
  pollfd input{terminal_, POLLIN, 0};
  if (poll(&input, before_ ? 1 : 0, milliseconds) <= 0) return std::nullopt;
  char key = 0;
  if (read(terminal_, &key, 1) == 1) return key;
  before_.reset();  // the terminal is gone
  return std::nullopt;
}

}  // namespace nightshift::tools
