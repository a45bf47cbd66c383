#include "base/json_tree.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "base/text.h"
#include "base/utf8.h"

namespace nightshift::base {

namespace {

constexpr int kDeepest = 64;
// A number of 17 digits with its comma has as many bytes to itself.
constexpr std::size_t kBytesOfNode = 16;

class JsonReader {
 public:
  JsonReader(std::string_view text, std::vector<JsonNode>& nodes,
             std::forward_list<std::string>& unescaped)
      : text_(text), nodes_(nodes), unescaped_(unescaped) {}

  void read() {
    read_value(0);
    if (at_ != text_.size()) fail("the end");
  }

 private:
  // --- The text, of which the bytes before at_ are read ---

  [[noreturn]] void fail(const char* expected) const {
    throw std::invalid_argument("expected " + std::string(expected) + " at byte " +
                                std::to_string(at_ + 1));
  }
  bool has(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool has_digit() const { return at_ < text_.size() && is_digit(text_[at_]); }
  bool take(char c) {
    if (!has(c)) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  std::string_view from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

  // --- Values, with the blanks around them ---

  void read_value(int depth) {
    skip_blanks();
    if (depth > kDeepest) fail("nothing that is nested so deep");
    switch (at_ < text_.size() ? text_[at_] : '\0') {
      case '{':
        read_object(depth);
        break;
      case '[':
        read_list(depth);
        break;
      case '"':
        add(read_text());
        break;
      case 't':
        read_word("true", true);
        break;
      case 'f':
        read_word("false", false);
        break;
      case 'n':
        read_word("null", nullptr);
        break;
      default:
        add(read_number());
    }
    skip_blanks();
  }

  void add(const JsonScalar& value) { nodes_.push_back({value}); }

  void read_word(std::string_view word, const JsonScalar& value) {
    if (!text_.substr(at_).starts_with(word)) fail("a value");
    at_ += word.size();
    add(value);
  }

  void read_list(int depth) {
    const std::size_t list = nodes_.size();
    add(JsonList{});
    ++at_;
    skip_blanks();
    if (!take(']')) {
      do {
        read_item(list, depth);
      } while (take(','));
      if (!take(']')) fail("',' or ']'");
    }
    close(list);
  }

  void read_object(int depth) {
    const std::size_t object = nodes_.size();
    add(JsonObject{});
    ++at_;
    skip_blanks();
    if (!take('}')) {
      do {
        skip_blanks();
        if (!has('"')) fail("the name of a member");
        const std::string_view name = read_text();
        close(object);
        if (JsonValue(&nodes_[object]).find(name)) fail("no member twice");
        add(name);
        skip_blanks();
        if (!take(':')) fail("':'");
        read_item(object, depth);
      } while (take(','));
      if (!take('}')) fail("',' or '}'");
    }
    close(object);
  }

  void read_item(std::size_t container, int depth) {
    read_value(depth + 1);
    ++nodes_[container].items;
  }

  // What follows `container` is all that it has so far.
  void close(std::size_t container) {
    nodes_[container].size = static_cast<std::uint32_t>(nodes_.size() - container);
  }

  // --- Numbers ---

  JsonScalar read_number() {
    const std::size_t begin = at_;
    take('-');
    if (!take('0')) read_digits("a value");
    bool whole = true;
    if (take('.')) {
      whole = false;
      read_digits("a digit");
    }
    if (take('e') || take('E')) {
      whole = false;
      if (!take('+')) take('-');
      read_digits("a digit");
    }
    const std::string_view digits = from(begin);
    if (whole) {
      if (const auto number = whole_number<std::int64_t>(digits)) return *number;
      if (const auto number = whole_number<std::uint64_t>(digits)) return *number;
    }
    return real(digits);
  }

  void read_digits(const char* expected) {
    if (!has_digit()) fail(expected);
    while (has_digit()) ++at_;
  }

  template <class Whole>
  static std::optional<Whole> whole_number(std::string_view digits) {
    Whole number{};
    const auto end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, number);
    return result.ec == std::errc() && result.ptr == end ? std::optional(number) : std::nullopt;
  }

  double real(std::string_view digits) const {
    double number = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (result.ec == std::errc()) return number;
    // Too large, or so small that it is 0.
    number = std::strtod(std::string(digits).c_str(), nullptr);
    if (std::isinf(number)) fail("numbers that a double holds");
    return number;
  }

  // --- Texts ---

  std::string_view read_text() {
    const std::size_t begin = ++at_;
    read_plain();
    if (take('"')) return text_.substr(begin, at_ - 1 - begin);
    std::string& unescaped = unescaped_.emplace_front(from(begin));
    while (!take('"')) {
      read_escape(unescaped);
      const std::size_t plain = at_;
      read_plain();
      unescaped += from(plain);
    }
    return unescaped;
  }

  // Up to a quotation mark or an escape.
  void read_plain() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\\') return;
      if (c >= 0 && c < ' ') fail("no control character within a text");
      const std::size_t length = c > 0 ? 1 : utf8_length(text_.substr(at_));
      if (length == 0) fail("UTF-8");
      at_ += length;
    }
    fail("the end of a text");
  }

  void read_escape(std::string& unescaped) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
    ++at_;
    if (take('u')) {
      append_utf8(unescaped, read_code_point());
      return;
    }
    const std::size_t known = at_ < text_.size() ? kNames.find(text_[at_]) : kNames.npos;
    if (known == kNames.npos) fail("an escape");
    ++at_;
    unescaped += kCharacters[known];
  }

  // Those beyond 16 bits are two escapes, high half first.
  char32_t read_code_point() {
    const char32_t first = read_four_digits();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF || !take('\\') || !take('u')) fail("both halves of a pair");
    const char32_t second = read_four_digits();
    if (second < 0xDC00 || second > 0xDFFF) fail("both halves of a pair");
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  char32_t read_four_digits() {
    const std::string_view digits = text_.substr(at_, 4);
    std::uint32_t number = 0;
    const auto end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, number, 16);
    if (digits.size() < 4 || result.ptr != end) fail("four hexadecimal digits");
    at_ += 4;
    return number;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<JsonNode>& nodes_;
  std::forward_list<std::string>& unescaped_;
};

}  // namespace

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  std::optional<JsonValue> found;
  for_members([&](std::string_view known, JsonValue value) {
    if (!found && known == name) found = value;
  });
  return found;
}

JsonTree::JsonTree(std::string_view text) {
  nodes_.reserve(1 + text.size() / kBytesOfNode);
  JsonReader(text, nodes_, unescaped_).read();
}

}  // namespace nightshift::base
