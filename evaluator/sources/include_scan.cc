#include "evaluator/sources/include_scan.h"

#include <algorithm>
#include <optional>

namespace nightshift::evaluator {
namespace {

constexpr std::string_view kLineEnds = "\n\r";
// Compilers take a NUL for a blank.
constexpr std::string_view kBlanks(" \t\v\f\0", 5);
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

// Lines that end with a backslash joined with the next, also where blanks follow the backslash, as
// compilers do.
std::string spliced(std::string_view source) {
  std::string text;
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] == '\\') {
      const std::size_t end = source.find_first_not_of(kBlanks, at + 1);
      if (end != std::string_view::npos && kLineEnds.find(source[end]) != std::string_view::npos) {
        at = end + (source.substr(end, 2) == "\r\n" ? 2 : 1);
        continue;
      }
    }
    text += source[at++];
  }
  return text;
}

// Reads one line, passing over blanks and comments between words.
class Directive {
 public:
  explicit Directive(std::string_view line) : left_(line) {}

  std::string_view left() const { return left_; }
  void skip_blanks() {
    while (!left_.empty()) {
      if (is_blank(left_.front())) {
        left_.remove_prefix(1);
        continue;
      }
      const std::size_t end =
          left_.starts_with("/*") ? left_.find("*/", 2) : std::string_view::npos;
      if (end == std::string_view::npos) return;
      left_.remove_prefix(end + 2);
    }
  }
  std::string_view word() {
    skip_blanks();
    const auto end = std::find_if_not(left_.begin(), left_.end(), is_word);
    const auto size = static_cast<std::size_t>(end - left_.begin());
    const std::string_view result = left_.substr(0, size);
    left_.remove_prefix(size);
    return result;
  }
  // nullopt: neither "name" nor <name>.
  std::optional<IncludeName> name() {
    skip_blanks();
    if (left_.empty() || (left_.front() != '"' && left_.front() != '<')) return std::nullopt;
    const bool quoted = left_.front() == '"';
    const std::size_t end = left_.find(quoted ? '"' : '>', 1);
    if (end == std::string_view::npos) return std::nullopt;
    return IncludeName{std::string(left_.substr(1, end - 1)), quoted};
  }

 private:
  std::string_view left_;
};

void add(std::optional<IncludeName> name, IncludeScan& scan) {
  if (!name) {
    scan.computed = true;
  } else if (std::find(scan.names.begin(), scan.names.end(), *name) == scan.names.end()) {
    scan.names.push_back(*std::move(name));
  }
}

// Behind a '#' or '%:' that may begin a directive.
void read_directive(std::string_view line, IncludeScan& scan) {
  Directive directive(line);
  const std::string_view word = directive.word();
  // A comment may end on a later line, with the rest of the directive behind it.
  const bool open = directive.left().starts_with("/*");
  if (word.empty() ? open : word == "include" || word == "include_next" || word == "import") {
    add(directive.name(), scan);
  }
}

void read_directives(std::string_view line, IncludeScan& scan) {
  // Only blanks and comments stand before a directive.
  const std::size_t first = std::min(line.find_first_not_of(kBlanks), line.size());
  const std::size_t comment_end = line.find("*/");
  for (std::size_t at = first; at < line.size(); ++at) {
    const std::string_view rest = line.substr(at);
    const std::size_t mark = rest.starts_with("#") ? 1 : rest.starts_with("%:") ? 2 : 0;
    if (mark > 0 && (at == first || at > comment_end)) read_directive(rest.substr(mark), scan);
  }
}

void read_questions(std::string_view line, IncludeScan& scan) {
  constexpr std::string_view kHasInclude = "__has_include";
  for (std::size_t at = line.find(kHasInclude); at != std::string_view::npos;
       at = line.find(kHasInclude, at + 1)) {
    Directive question(line.substr(at));
    question.word();
    question.skip_blanks();
    if (question.left().starts_with("/*")) scan.computed = true;  // goes on in a later line
    // Without a name it is only asked for: #ifdef __has_include
    if (question.left().starts_with("(")) add(Directive(question.left().substr(1)).name(), scan);
  }
}

void read_lines(std::string_view text, IncludeScan& scan) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kLineEnds, begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    read_directives(line, scan);
    read_questions(line, scan);
    begin = end + 1;
  }
}

}  // namespace

IncludeScan scan_includes(std::string_view source) {
  IncludeScan scan;
  if (source.starts_with(kByteOrderMark)) source.remove_prefix(kByteOrderMark.size());
  // Trigraphs, which some flags bring back: ??= is '#' and ??/ a backslash.
  if (source.find("?\?=") != std::string_view::npos ||
      source.find("?\?/") != std::string_view::npos) {
    scan.computed = true;
  }
  const std::string joined = spliced(source);
  read_lines(joined, scan);
  // Compilers do not agree on a backslash with blanks behind it at the end of a comment.
  if (joined.size() != source.size()) read_lines(source, scan);
  return scan;
}

}  // namespace nightshift::evaluator
