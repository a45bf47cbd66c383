#include "tools/live/batch_watch.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <optional>
#include <utility>

#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/summary/batch_summary.h"
#include "scheduler/summary/batch_time.h"
#include "tools/live/batch_frame.h"
#include "tools/live/terminal.h"
#include "tools/live/terminal_screen.h"
#include "tools/text/batch_lines.h"

namespace nightshift::tools {
namespace {

constexpr int kPeriod = 500;  // milliseconds

volatile std::sig_atomic_t g_asked_to_stop = 0;

// While one of these is there, stop signals end a wait instead of the program. Where a wait begins
// just after a signal came it lasts its period out.
class StopSignals {
 public:
  StopSignals() {
    g_asked_to_stop = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { g_asked_to_stop = 1; };
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      // What the shell has told to be ignored (nohup) stays so.
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
    }
    // A resized terminal is to be drawn at once.
    action.sa_handler = [](int) {};
    ::sigaction(SIGWINCH, &action, &resized_before_);
  }
  ~StopSignals() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      ::sigaction(kSignals[i], &before_[i], nullptr);
    }
    ::sigaction(SIGWINCH, &resized_before_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool came() const { return g_asked_to_stop != 0; }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)];
  struct sigaction resized_before_;
};

std::string version_of_file(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return "-";
  return std::to_string(facts.st_ino) + " " + std::to_string(facts.st_size) + " " +
         std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec);
}

// The record as it was read last, and read again when its version changes. A writer that is killed
// changes no file: what it left is read again after kLongest. A record that cannot be read at the
// moment, for its disk or its lock, is told as it was.
class Watched {
 public:
  Watched(const BatchSource& source, const scheduler::Clock& clock)
      : source_(source),
        clock_(clock),
        read_at_(clock.now()),
        version_(source.version()),
        record_(source.load()) {
    look_at_journals();
  }

  const scheduler::BatchRecord& record() const { return record_; }
  const std::vector<std::string>& unread() const { return unread_; }
  void refresh() {
    // The head of each journal is read: a batch may have hundreds.
    constexpr std::chrono::seconds kLongest{2}, kBetweenJournals{5};
    if (clock_.now() - looked_at_ >= kBetweenJournals) look_at_journals();
    std::string version = source_.version();
    const bool old = record_.writer && clock_.now() - read_at_ >= kLongest;
    if (version == version_ && !old) return;
    try {
      record_ = source_.load();
      version_ = std::move(version);
      read_at_ = clock_.now();
    } catch (const scheduler::JournalError&) {
    }
  }

 private:
  void look_at_journals() {
    if (source_.unread) unread_ = source_.unread(record_);
    looked_at_ = clock_.now();
  }

  const BatchSource& source_;
  const scheduler::Clock& clock_;
  scheduler::Clock::TimePoint read_at_, looked_at_;
  std::vector<std::string> unread_;
  std::string version_;
  scheduler::BatchRecord record_;
};

// Of the keys as they come, arrows as three of them, how far the list of studies is scrolled.
class Scroll {
 public:
  // False where the key ends the watching.
  bool take(char key, std::size_t studies, std::size_t page) {
    // An arrow comes as ESC [ A, Page Up as ESC [ 5 ~.
    const int before = std::exchange(escaped_, 0);
    if (key == '\x1b') escaped_ = 1;
    if (before == 1 && key == '[') escaped_ = 2;
    if (before == 2) {
      if (key == 'A') up(1);
      if (key == 'B') down(1, studies);
      if (key == '5') up(page);
      if (key == '6') down(page, studies);
    }
    if (before != 0) return true;
    if (key == 'k') up(1);
    if (key == 'j') down(1, studies);
    return key != 'q' && key != 'Q';
  }
  std::size_t lines() const { return lines_; }

 private:
  void up(std::size_t by) { lines_ -= std::min(lines_, by); }
  void down(std::size_t by, std::size_t studies) {
    lines_ = std::min(lines_ + by, studies > 0 ? studies - 1 : 0);
  }

  std::size_t lines_ = 0;
  int escaped_ = 0;  // how much of such a sequence has come
};

}  // namespace

BatchSource source_of(const std::string& folder) {
  return {[folder] { return scheduler::load_batch(folder); },
          [folder] {
            return version_of_file(folder + "/batch.sqlite") + "|" +
                   version_of_file(folder + "/batch.sqlite-wal");
          },
          {}};
}

struct BatchScreen::Parts {
  Parts(int its_terminal, std::string its_folder, const BatchSource& source,
        const scheduler::Clock& its_clock)
      : terminal(its_terminal),
        folder(std::move(its_folder)),
        clock(its_clock),
        watched(source, clock),
        keys(terminal),
        screen(terminal) {}

  int terminal;
  std::string folder;
  const scheduler::Clock& clock;
  Watched watched;
  TerminalKeys keys;
  TerminalScreen screen;
  Scroll scroll;
  std::string drawn;
};

BatchScreen::BatchScreen(int terminal, std::string folder, const BatchSource& source,
                         const scheduler::Clock& clock)
    : parts_(std::make_unique<Parts>(terminal, std::move(folder), source, clock)) {}

BatchScreen::~BatchScreen() { parts_->screen.leave(parts_->drawn); }

bool BatchScreen::step(int milliseconds) {
  Parts& p = *parts_;
  p.watched.refresh();
  PictureSize size = terminal_size(p.terminal);
  size.colour = colours_wanted();
  const scheduler::BatchRecord& record = p.watched.record();
  std::string picture = render({record, p.folder, scheduler::now_in(record, p.clock.wall_seconds()),
                                size, p.scroll.lines(), unread_lines(record, p.watched.unread())});
  if (picture != p.drawn) p.screen.draw(picture);
  p.drawn = std::move(picture);
  const std::optional<char> key = p.keys.next(milliseconds);
  return !key || p.scroll.take(*key, record.studies.size(), size.rows() / 2);
}

void watch_on_screen(int terminal, const std::string& folder, const BatchSource& source,
                     const scheduler::Clock& clock) {
  StopSignals stop;
  BatchScreen screen(terminal, folder, source, clock);
  while (screen.step(kPeriod) && !stop.came()) {
  }
}

void watch_in_lines(std::FILE* out, std::size_t shown, const BatchSource& source,
                    const scheduler::Clock& clock) {
  Watched watched(source, clock);
  StopSignals stop;
  std::vector<std::string> told = unread_lines(watched.record(), watched.unread());
  while (true) {
    const scheduler::BatchRecord& record = watched.record();
    std::vector<std::string> unread = unread_lines(record, watched.unread());
    for (const std::string& line : unread) {
      if (std::ranges::find(told, line) == told.end()) std::fprintf(out, "%s\n", line.c_str());
    }
    told = std::move(unread);
    for (; shown < record.events.size(); ++shown) {
      std::fprintf(out, "%s\n", event_text(record.events[shown]).c_str());
    }
    std::fflush(out);
    if (!record.writer || stop.came() || std::ferror(out) != 0) break;
    ::poll(nullptr, 0, kPeriod);
    watched.refresh();
  }
  const scheduler::BatchRecord& record = watched.record();
  const double now = scheduler::now_in(record, clock.wall_seconds());
  const scheduler::BatchSummary summary = scheduler::summarise(record, now);
  std::fprintf(out, "%s; %s\n", batch_state_text(record, summary, now).c_str(),
               claims_text(summary).c_str());
  std::fflush(out);
}

}  // namespace nightshift::tools
