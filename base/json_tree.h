#pragma once

#include <cstdint>
#include <forward_list>
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

// A JSON text (RFC 8259), for those that come by the hundred thousand: all values stand in one
// block, and texts without escapes stay where they are. nlohmann::json, which the rest of the house
// reads by, has a block or more for each value.
class JsonTree {
 public:
  // `text` must live on. Throws std::invalid_argument: for what is no JSON, an object that has a
  // member twice, a number that no double holds, and what is nested deeper than 64 times.
  explicit JsonTree(std::string_view text);
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  JsonValue root() const { return JsonValue(nodes_.data()); }

 private:
  std::vector<JsonNode> nodes_;               // in the order of the text; a name before its value
  std::forward_list<std::string> unescaped_;  // texts that had escapes
};

}  // namespace nightshift::base
