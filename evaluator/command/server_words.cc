#include "evaluator/command/server_words.h"

#include <cctype>

#include "evaluator/process/launched_child.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kShownBytes = 400;
constexpr std::size_t kShownLine = 120;  // of a line that was skipped
constexpr const char* kFlushing =
    "does it flush its standard output after each answer (flush=True, $| = 1, stdbuf -oL)?";

std::string shown_line(const std::string& line) {
  std::string text = head_of(line, kShownLine);
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return "'" + text + "'";
}

}  // namespace

void SkippedLines::note(const std::string& line) {
  if (count_++ == 0) first_ = line;
}

std::string SkippedLines::words(const std::string& rest) const {
  if (!rest.empty()) return "no end of line came after " + shown_line(rest) + "; " + kFlushing;
  if (count_ == 0) return std::string("it printed nothing; ") + kFlushing;
  return "an answer is a line with a JSON object; it printed " + std::to_string(count_) +
         (count_ == 1 ? " other line: " : " other lines, the first: ") + shown_line(first_);
}

std::string build_limit_text(double seconds) {
  return "limits.build, " + search::to_text(search::Value(seconds)) + " s";
}

search::Crashed stopped_server(const std::string& why, const std::string& standard_error,
                               search::Phase phase) {
  const std::string words = tail_of(standard_error, kLastWordsBytes / 2);
  return {
      search::Crashed::Cause::kCorruptReply, 0, phase,
      "the server was stopped: " + head_of(why, kShownBytes) + (words.empty() ? "" : "\n" + words)};
}

}  // namespace nightshift::evaluator
