#include "evaluator/command/figures/broken_object.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/strict_json.h"
#include "base/text.h"
#include "evaluator/command/figures/printed_object.h"

namespace nightshift::evaluator {
namespace {

using nlohmann::json;

constexpr std::size_t kMostTried = 64;   // lines that begin an object
constexpr std::size_t kMostShown = 100;  // bytes of the line that breaks

// Where a text stops to be JSON, and the reader's words for it. Builds no value, so that depth costs
// nothing.
class FirstBreak final : public json::json_sax_t {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return true; }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*elements*/) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& error) override {
    at = position > 0 ? position - 1 : 0;
    words = error.what();
    return false;
  }

  std::size_t at = 0;  // bytes before it
  std::string words;   // empty: it is JSON
};

struct Break {
  std::size_t at = 0;  // bytes of the text before it
  bool at_end = false;
  std::string reason;
};

std::string reason_at(std::string_view text, std::size_t at, std::string_view words) {
  const char sign = text[at];
  const std::size_t before = text.substr(0, at).find_last_not_of(" \t\r\n");
  const bool closes = sign == '}' || sign == ']';
  if (closes && before != std::string_view::npos && text[before] == ',') {
    return std::string("a comma stands before '") + sign + "'";
  }
  if (sign == '/' || sign == '#') return "JSON has no comments";
  if (sign == '\'') return "texts of JSON stand in double quotes";
  for (const std::string_view behind : {" - ", "] "}) {
    const std::size_t found = words.find(behind);
    if (found != std::string_view::npos) return std::string(words.substr(found + behind.size()));
  }
  return std::string(words);
}

// Of what begins with a brace; nullopt where it is an object.
std::optional<Break> break_in(std::string_view text) {
  const std::string strict = base::strict_json(without_byte_order_mark(text));
  FirstBreak found;
  json::sax_parse(strict, &found, json::input_format_t::json, false);
  if (found.words.empty()) return std::nullopt;
  if (found.at >= base::trimmed(strict).size()) return Break{found.at, true, "it is not closed"};
  return Break{found.at, false, reason_at(strict, found.at, found.words)};
}

}  // namespace

std::string broken_object(std::string_view output) {
  std::optional<Break> farthest;
  std::size_t tried = 0, number = 0, first = 0;
  std::string_view of;
  while (!output.empty() && tried < kMostTried) {
    ++number;
    if (begins_object(output.substr(0, output.find('\n')))) {
      ++tried;
      const auto found = break_in(output);
      if (found && (!farthest || found->at > farthest->at)) {
        farthest = found;
        first = number;
        of = output;
      }
    }
    output.remove_prefix(std::min(output.find('\n'), output.size() - 1) + 1);
  }
  if (!farthest) return {};
  const std::string begin = "the JSON object of line " + std::to_string(first) + " ";
  if (farthest->at_end) return begin + "is not closed before the output ends";
  const std::string_view before = of.substr(0, std::min(farthest->at, of.size()));
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t from = before.rfind('\n') + 1;
  const std::size_t column = before.size() - from + 1;
  const std::string_view broken = base::trimmed(base::first_line(of.substr(from)));
  return begin + "breaks in line " + std::to_string(first + lines) + ", column " +
         std::to_string(column) + ": " + farthest->reason + "; the line is " +
         base::in_quotes(broken.substr(0, kMostShown));
}

std::string broken_line(std::string_view line) {
  const auto found = break_in(line);
  if (!found) return {};
  if (found->at_end) return "it is not closed in its line: print each answer in one line";
  return "it breaks in column " + std::to_string(found->at + 1) + ": " + found->reason;
}

}  // namespace nightshift::evaluator
