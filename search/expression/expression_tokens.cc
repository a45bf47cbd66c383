#include "search/expression/expression_tokens.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"
#include "base/whole_range.h"
#include "search/expression/expression_error.h"

namespace nightshift::search {

namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || base::is_digit(c); }

// The whole number that `digits` are to this radix, where a double holds it exactly.
std::optional<double> exact_double(std::string_view digits, int radix) {
  double value = 0;
  if (radix == 10) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{}) return std::nullopt;
    std::array<char, 400> written;  // every digit of the largest double
    const auto last = std::to_chars(written.data(), written.data() + written.size(), value,
                                    std::chars_format::fixed, 0)
                          .ptr;
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    const bool same = std::string_view(written.data(), last) == digits.substr(zeros);
    return same ? std::optional(value) : std::nullopt;
  }
  for (const char c : digits) {
    constexpr int kTen = 10;
    const int digit = base::is_digit(c) ? c - '0' : (c | 0x20) - 'a' + kTen;
    const double shifted = value * radix;
    value = shifted + digit;
    if (!std::isfinite(value) || value - shifted != digit) return std::nullopt;
  }
  return value;
}

constexpr std::string_view kLetters = "abfnrtv\\'\"";
constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";

// How many digits to this radix `text` begins with, at most `most`.
std::size_t digits_in(std::string_view text, int radix, std::size_t most) {
  const std::string_view digits =
      radix == 8 ? std::string_view("01234567") : std::string_view("0123456789abcdefABCDEF");
  return std::min({text.find_first_not_of(digits), text.size(), most});
}

std::size_t append_code(std::string_view text, std::size_t before, std::size_t digits, int radix,
                        std::string& content, std::string& mistake) {
  std::uint32_t code = 0;
  const char* const first = text.data() + before;
  (void)std::from_chars(first, first + digits, code, radix);
  const std::string utf8 = base::utf8_of(code);
  if (utf8.empty()) {
    mistake = "is half of a character, or none: write it as it is, or as '\\U' and eight digits";
    return 0;
  }
  content += utf8;
  return before + digits;
}

// Appends to `content` what Python makes of the escape that `text`, behind its backslash, begins
// with: UTF-8 where it is a code, nothing of the end of a line, and the backslash itself where
// Python knows none. Returns how many bytes it has; 0 where it is a mistake, which `mistake` then
// has: too few digits, half of a surrogate pair, no character of Unicode, or a name (\N{...}).
std::size_t append_escape(std::string_view text, std::string& content, std::string& mistake) {
  const char c = text.front();
  if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
    content += kMeanings[at];
    return 1;
  }
  if (c == '\n') return 1;
  constexpr std::size_t kMostOctal = 3;
  if (const std::size_t octal = digits_in(text, 8, kMostOctal); octal > 0) {
    return append_code(text, 0, octal, 8, content, mistake);
  }
  if (c == 'N') {
    mistake = "names a character: write it as it is, or as '\\u' and four digits";
    return 0;
  }
  const std::size_t wanted = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (wanted == 0) {
    content += '\\';
    content += c;
    return 1;
  }
  if (digits_in(text.substr(1), 16, wanted) < wanted) {
    mistake = "takes " + std::to_string(wanted) + " hexadecimal digits";
    return 0;
  }
  return append_code(text, 1, wanted, 16, content, mistake);
}

// Longer ones first, so that `//` is not read as two divisions.
constexpr std::array<std::string_view, 29> kSymbols = {
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "%",
    "&",  "|",  "^",  "~",  "(",  ")",  "[",  "]",  "{", "}", ",", ".", "=", ":"};

// What C writes, and Python in a word.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherWords = {
    {{"&&", "and"}, {"||", "or"}, {"!", "not"}}};

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(next());
    } while (tokens.back().kind != Token::Kind::kEnd);
    return tokens;
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  Token token(Token::Kind kind, std::size_t length) {
    Token result{kind, text_.substr(here_, length), here_, {}};
    here_ += length;
    return result;
  }

  Token next() {
    while (here_ < text_.size() && base::is_blank(text_[here_])) ++here_;
    if (here_ == text_.size()) return token(Token::Kind::kEnd, 0);
    const char c = text_[here_];
    if (base::is_digit(c) || (c == '.' && base::is_digit(at(here_ + 1)))) return number();
    if (c == '"' || c == '\'') return quoted();
    if (is_name_start(c)) {
      std::size_t end = here_;
      while (is_name_part(at(end))) ++end;
      return token(Token::Kind::kName, end - here_);
    }
    return symbol();
  }

  Token symbol() {
    const std::string_view rest = text_.substr(here_);
    for (const auto& [found, wanted] : kOtherWords) {
      if (!rest.starts_with(found) || rest.starts_with("!=")) continue;
      fail_at(here_, "found '" + std::string(found) + "', write '" + std::string(wanted) + "'");
    }
    for (const std::string_view symbol : kSymbols) {
      if (rest.starts_with(symbol)) return token(Token::Kind::kSymbol, symbol.size());
    }
    fail_at(here_, "expected a number, a name, a text or an operator, found " +
                       json_quoted(text_.substr(here_, 1)));
  }

  // Digits, letters and dots that belong together; "1e-5" has a sign in the middle.
  std::size_t number_end() const {
    const bool decimal = at(here_) != '0' || !is_name_start(at(here_ + 1));
    std::size_t end = here_;
    for (; is_name_part(at(end)) || at(end) == '.'; ++end) {
      const bool exponent = decimal && (at(end) == 'e' || at(end) == 'E');
      if (exponent && (at(end + 1) == '+' || at(end + 1) == '-')) ++end;
    }
    return end;
  }

  Token number() {
    Token result = token(Token::Kind::kLiteral, number_end() - here_);
    std::string digits(result.text);
    std::erase(digits, '_');
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0') {
      const char letter = digits[1];
      base = letter == 'x' || letter == 'X'   ? 16
             : letter == 'o' || letter == 'O' ? 8
             : letter == 'b' || letter == 'B' ? 2
                                              : 10;
    }
    const char* const first = digits.data() + (base == 10 ? 0 : 2);
    const char* const last = digits.data() + digits.size();
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(first, last, whole, base);
    if (end == last && error == std::errc{} && *first != '-') {
      result.literal = whole;
      return result;
    }
    if (end == last && error == std::errc::result_out_of_range) {
      const auto exact = exact_double({first, last}, base);
      if (!exact) fail_beyond(result);
      result.literal = *exact;
      result.is_beyond = true;
      return result;
    }
    result.literal = floating(result, digits, base);
    return result;
  }

  double floating(const Token& token, const std::string& digits, int base) const {
    const char* const last = digits.data() + digits.size();
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), last, value);
    if (base != 10 || end != last || error == std::errc::invalid_argument) {
      fail_at(token.position, "expected a number, found " + json_quoted(token.text));
    }
    if (error == std::errc::result_out_of_range) {
      fail_at(token.position,
              "the number " + std::string(token.text) + " is beyond the range of a double");
    }
    return value;
  }

  Token quoted() {
    const std::size_t start = here_;
    const char quote = text_[start];
    std::string content;
    std::size_t i = start + 1;
    for (; i < text_.size() && text_[i] != quote; ++i) {
      if (text_[i] == '\\' && i + 1 < text_.size()) {
        std::string mistake;
        const std::size_t length = append_escape(text_.substr(i + 1), content, mistake);
        if (length == 0) {
          fail_at(i, "the escape " + json_quoted(text_.substr(i, 2)) + " " + mistake);
        }
        i += length;
      } else {
        content += text_[i];
      }
    }
    if (i == text_.size()) {
      fail_at(start, std::string("expected a closing ") + quote + ", found the end of the text");
    }
    Token result = token(Token::Kind::kLiteral, i + 1 - start);
    result.literal = std::move(content);
    return result;
  }

  std::string_view text_;
  std::size_t here_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Tokenizer(text).run(); }

void fail_beyond(const Token& token) {
  fail_at(token.position, "the whole number " + std::string(token.text) + " is beyond 64 bits; " +
                              std::string(base::kWholeRange) +
                              ". With a point, as in 1e20 or 5.0, a double is meant");
}

void fail_at(std::size_t position, const std::string& message) {
  throw ExpressionError("character " + std::to_string(position + 1) + ": " + message, position);
}

}  // namespace nightshift::search
