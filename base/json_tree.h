#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nightshift::base {

struct JsonList {};
struct JsonObject {};
// Whole numbers beyond std::int64_t are std::uint64_t, and doubles beyond that.
using JsonScalar = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                                std::string_view, JsonList, JsonObject>;

struct JsonNode {
  JsonScalar value;
  std::uint32_t size = 1;   // nodes of it and of all below it, which follow it
  std::uint32_t items = 0;  // of a list, or members of an object
};

// A value of a JsonTree, which must live on.
class JsonValue {
 public:
  explicit JsonValue(const JsonNode* node) : node_(node) {}

  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(node_->value);
  }
  // nullptr where it is of another kind.
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&node_->value);
  }

  // Of an object; nullopt where it has no such member.
  std::optional<JsonValue> find(std::string_view name) const;
  // Of a list, or members of an object; 0 of others.
  std::size_t items() const { return node_->items; }
  // each(std::string_view name, JsonValue), in the order of the text.
  template <class Each>
  void for_members(const Each& each) const {
    for (const JsonNode* at = node_ + 1; at != end(); at += 1 + at[1].size) {
      each(std::get<std::string_view>(at->value), JsonValue(at + 1));
    }
  }
  // each(JsonValue), of a list.
  template <class Each>
  void for_items(const Each& each) const {
    for (const JsonNode* at = node_ + 1; at != end(); at += at->size) each(JsonValue(at));
  }

 private:
  const JsonNode* end() const { return node_ + node_->size; }

  const JsonNode* node_;
};

// A JSON text (RFC 8259), for those that come by the hundred thousand, read by RapidJSON into one
// block for all values. nlohmann::json, by which the rest of the house reads, has a block or more
// for each value, and RapidJSON's own document no member twice and whole numbers of 64 bits alone.
class JsonTree {
 public:
  // Throws std::invalid_argument: for what is no JSON, an object that has a
  // member twice, a number that no double holds, and what is nested deeper than 64 times.
  explicit JsonTree(std::string_view text);
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  JsonValue root() const { return JsonValue(nodes_.data()); }

 private:
  std::string text_;             // of which texts are parts, without their escapes
  std::vector<JsonNode> nodes_;  // in the order of the text; a name before its value
};

}  // namespace nightshift::base
