#include "tools/live/terminal_screen.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "tools/live/terminal.h"

namespace nightshift::tools {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[H\x1b[J\x1b[?25l";
constexpr std::string_view kLeave = "\x1b[?1049l\x1b[?25h";

// For the handler of SIGTSTP.
volatile std::sig_atomic_t g_terminal = -1;
volatile std::sig_atomic_t g_entered = 0;

void write_all(int terminal, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = ::write(terminal, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the terminal is gone; the study goes on
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void enter(int terminal) noexcept {
  write_all(terminal, kEnter);
  g_entered = 1;
}

void leave_screen(int terminal) noexcept {
  if (g_entered == 0) return;
  g_entered = 0;
  write_all(terminal, kLeave);
}

// Asynchronous: calls nothing but write, tcgetpgrp, sigaction, sigprocmask and raise.
void on_stop(int signal) {
  const int saved = errno;
  leave_screen(g_terminal);
  struct sigaction by_default {
  }, own{};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(signal, &by_default, &own);
  sigset_t only, before;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, &before);
  ::raise(signal);  // it stops here
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::sigaction(signal, &own, nullptr);
  errno = saved;
}

// What the shell has told to be ignored stays so.
void install(int signal, void (*handler)(int)) {
  struct sigaction action {
  }, before{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

}  // namespace

TerminalScreen::TerminalScreen(int terminal) : terminal_(terminal) {
  g_terminal = terminal;
  install(SIGTSTP, on_stop);
  if (is_in_foreground(terminal_)) enter(terminal_);
}

TerminalScreen::~TerminalScreen() {
  leave_screen(terminal_);
  install(SIGTSTP, SIG_DFL);
}

void TerminalScreen::draw(const std::string& picture) {
  if (!is_in_foreground(terminal_)) return;
  if (g_entered == 0) enter(terminal_);
  std::string bytes = "\x1b[H";
  for (const char c : picture) {
    if (c == '\n') bytes += "\x1b[K";
    bytes += c;
  }
  write_all(terminal_, bytes + "\x1b[J");
}

void TerminalScreen::leave(const std::string& picture) {
  if (!is_in_foreground(terminal_)) return;
  leave_screen(terminal_);
  write_all(terminal_, picture);
}

}  // namespace nightshift::tools
