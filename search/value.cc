#include "search/value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <stdexcept>

#include "base/overloaded.h"
#include "base/utf8.h"

namespace nightshift::search {

namespace {

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(c);
  if (code >= 0x20) {
    out += c;
    return;
  }
  out += "\\u00";
  out += kHex[code >> 4];
  out += kHex[code & 15];
}

// "1.0" rather than "1": a reader of the text gets a double back, not an integer.
std::string shortest(double number) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string text(buffer.data(), end);
  if (std::isfinite(number) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::partial_ordering compare_exactly(std::int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1p63) return std::partial_ordering::less;
  if (b < -0x1p63) return std::partial_ordering::greater;
  const double whole = std::floor(b);
  const auto order = a <=> static_cast<std::int64_t>(whole);
  if (std::is_neq(order)) return order;
  return whole < b ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

bool same_value(const Value& a, const Value& b) {
  const auto* text_a = std::get_if<std::string>(&a);
  const auto* text_b = std::get_if<std::string>(&b);
  if (text_a != nullptr || text_b != nullptr) return text_a && text_b && *text_a == *text_b;
  const auto* double_a = std::get_if<double>(&a);
  const auto* double_b = std::get_if<double>(&b);
  if (double_a && double_b) return *double_a == *double_b;
  const auto whole = [](const Value& v) {
    const bool* flag = std::get_if<bool>(&v);
    return flag ? static_cast<std::int64_t>(*flag) : std::get<std::int64_t>(v);
  };
  if (double_a) return std::is_eq(compare_exactly(whole(b), *double_a));
  if (double_b) return std::is_eq(compare_exactly(whole(a), *double_b));
  return whole(a) == whole(b);
}

double as_number(const Value& v) {
  if (const bool* flag = std::get_if<bool>(&v)) return *flag ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&v)) return static_cast<double>(*whole);
  if (const double* number = std::get_if<double>(&v)) return *number;
  throw std::invalid_argument("the text " + to_json(v) + " is used as a number");
}

std::string to_text(const Value& v) {
  return std::visit(base::Overloaded{
                        [](bool flag) { return std::string(flag ? "1" : "0"); },
                        [](std::int64_t whole) { return std::to_string(whole); },
                        [](double number) { return shortest(number); },
                        [](const std::string& text) { return text; },
                    },
                    v);
}

std::string to_json(const Value& v) {
  return std::visit(base::Overloaded{
                        [](bool flag) { return std::string(flag ? "true" : "false"); },
                        [](std::int64_t whole) { return std::to_string(whole); },
                        // JSON has no word for infinities and what is no number.
                        [](double number) {
                          return std::isfinite(number) ? shortest(number) : std::string("null");
                        },
                        [](const std::string& text) { return json_quoted(text); },
                    },
                    v);
}

std::string json_quoted(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD for what is no UTF-8
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    if (length == 1) {
      append_escaped(out, text.front());
    } else {
      out += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
  return out;
}

}  // namespace nightshift::search
