#include "base/json_tree.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace nightshift::base {

namespace {

constexpr std::size_t kDeepest = 64;
// A number of 17 digits with its comma has as many bytes to itself.
constexpr std::size_t kBytesOfNode = 16;

// RapidJSON 1.1 lets the second half of a pair of escapes stand alone (\ude00), and makes three
// bytes of it that are no UTF-8.
bool has_half_of_pair(std::string_view text) {
  for (std::size_t at = text.find('\xED'); at < text.size(); at = text.find('\xED', at + 1)) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
  }
  return false;
}

// What RapidJSON calls for each value. A function that returns false ends the reading.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::vector<JsonNode>& nodes) : nodes_(nodes) {}

  // Why one of its functions ended the reading; empty: none did.
  const std::string& complaint() const { return complaint_; }

  // NOLINTBEGIN(readability-identifier-naming): RapidJSON's names
  bool Null() { return add(nullptr); }
  bool Bool(bool value) { return add(value); }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const std::string_view value(text, size);
    return has_half_of_pair(value) ? fail("half of a pair of escapes") : add(value);
  }
  bool StartArray() { return open(JsonList{}); }
  bool EndArray(rapidjson::SizeType /*items*/) { return close(); }
  bool StartObject() { return open(JsonObject{}); }
  bool EndObject(rapidjson::SizeType /*members*/) { return close(); }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const std::string_view name(text, size);
    if (has_half_of_pair(name)) return fail("half of a pair of escapes");
    measure();
    if (JsonValue(&nodes_[open_.back()]).find(name)) return fail("an object has a member twice");
    nodes_.push_back({name});
    return true;
  }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const std::string_view digits(text, size);
    if (digits.find_first_of(".eE") == digits.npos) {
      if (const auto number = whole_number<std::int64_t>(digits)) return add(*number);
      if (const auto number = whole_number<std::uint64_t>(digits)) return add(*number);
    }
    return add_real(digits);
  }
  // Of numbers that RapidJSON reads itself: it is told not to.
  bool Int(int /*number*/) { return false; }
  bool Uint(unsigned /*number*/) { return false; }
  bool Int64(std::int64_t /*number*/) { return false; }
  bool Uint64(std::uint64_t /*number*/) { return false; }
  bool Double(double /*number*/) { return false; }
  // NOLINTEND(readability-identifier-naming)

 private:
  bool fail(const char* why) {
    complaint_ = why;
    return false;
  }

  bool add(const JsonScalar& value) {
    if (!open_.empty()) ++nodes_[open_.back()].items;
    nodes_.push_back({value});
    return true;
  }

  bool open(const JsonScalar& container) {
    if (open_.size() > kDeepest) return fail("it is nested too deep");
    add(container);
    open_.push_back(nodes_.size() - 1);
    return true;
  }

  // What follows the innermost container is all that it has so far.
  void measure() {
    nodes_[open_.back()].size = static_cast<std::uint32_t>(nodes_.size() - open_.back());
  }
  bool close() {
    measure();
    open_.pop_back();
    return true;
  }

  template <class Whole>
  static std::optional<Whole> whole_number(std::string_view digits) {
    Whole number{};
    const auto end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, number);
    return result.ec == std::errc() && result.ptr == end ? std::optional(number) : std::nullopt;
  }

  bool add_real(std::string_view digits) {
    double number = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (result.ec == std::errc()) return add(number);
    // Too large, or so small that it is 0.
    number = std::strtod(std::string(digits).c_str(), nullptr);
    return std::isinf(number) ? fail("a number is beyond a double") : add(number);
  }

  std::vector<JsonNode>& nodes_;
  std::vector<std::size_t> open_;  // containers that have not ended, outermost first
  std::string complaint_;
};

}  // namespace

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  std::optional<JsonValue> found;
  for_members([&](std::string_view known, JsonValue value) {
    if (!found && known == name) found = value;
  });
  return found;
}

// Numbers are read by the standard library: to the last bit, and whole ones beyond 64 bits as well.
JsonTree::JsonTree(std::string_view text) : text_(text) {
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseValidateEncodingFlag;
  nodes_.reserve(1 + text.size() / kBytesOfNode);
  TreeBuilder builder(nodes_);
  rapidjson::InsituStringStream stream(text_.data());
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  const std::size_t at = result.IsError() ? result.Offset() : stream.Tell();
  if (!result.IsError() && at == text.size()) return;
  std::string why = builder.complaint();
  if (why.empty()) why = result.IsError() ? rapidjson::GetParseError_En(result.Code()) : "a byte 0";
  if (why.back() == '.') why.pop_back();
  throw std::invalid_argument(why + ", at byte " + std::to_string(at + 1));
}

}  // namespace nightshift::base
