#include "problems/readers/table_text.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <tuple>
#include <vector>

#include "problems/readers/table_reader.h"
#include "search/value.h"

namespace nightshift::problems {
namespace {

// A JSON text is a basic string of TOML, but for the one character that JSON does not escape.
std::string quoted(std::string_view text) {
  std::string result;
  for (const char c : search::json_quoted(text)) {
    if (c == '\x7f') {
      result += "\\u007F";
    } else {
      result += c;
    }
  }
  return result;
}

std::string spelt(const toml::key& key) {
  const auto is_bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  const std::string_view name = key.str();
  const bool bare = !name.empty() && std::ranges::all_of(name, is_bare);
  return bare ? std::string(name) : quoted(name);
}

class Writer {
 public:
  explicit Writer(const std::string& own) : own_(own) {}

  // `name` is the dotted name of the table, empty for the whole document.
  void document(const toml::table& table, const std::string& name) {
    const std::vector<Entry> entries = keys_in_order(table, own_);
    // A key behind a header belongs to that header's table: only what follows the last plain value
    // may become a section.
    std::size_t plain = entries.size();
    while (plain > 0 && is_section(*entries[plain - 1].node)) --plain;
    for (std::size_t i = 0; i < plain; ++i) {
      out_ << spelt(*entries[i].key) << " = ";
      value(*entries[i].node);
      out_ << '\n';
    }
    for (std::size_t i = plain; i < entries.size(); ++i) {
      section(*entries[i].node,
              name.empty() ? spelt(*entries[i].key) : name + "." + spelt(*entries[i].key));
    }
  }

  std::string take() const { return out_.str(); }

 private:
  using Entry = OrderedKey;

  static bool is_section(const toml::node& node) {
    if (const toml::table* table = node.as_table()) return !table->is_inline();
    const toml::array* array = node.as_array();
    return array != nullptr && array->is_array_of_tables() &&
           !array->front().as_table()->is_inline();
  }

  void section(const toml::node& node, const std::string& name) {
    if (const toml::table* table = node.as_table()) {
      out_ << "\n[" << name << "]\n";
      document(*table, name);
      return;
    }
    for (const toml::node& element : *node.as_array()) {
      out_ << "\n[[" << name << "]]\n";
      document(*element.as_table(), name);
    }
  }

  void value(const toml::node& node) {
    if (const toml::array* array = node.as_array()) {
      list(*array);
    } else if (const toml::table* table = node.as_table()) {
      inline_table(*table);
    } else if (const auto text = node.value_exact<std::string_view>()) {
      out_ << quoted(*text);  // toml++ loses a line break that a text begins with
    } else {
      node.visit([&](const auto& plain) {
        if constexpr (toml::is_value<decltype(plain)>) out_ << plain;
      });
    }
  }

  void list(const toml::array& array) {
    const bool a_line_each = inside_ == 0 && array.size() > 1 && !array.front().is_number();
    ++inside_;
    out_ << '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
      out_ << (i > 0 ? "," : "") << (a_line_each ? "\n  " : i > 0 ? " " : "");
      value(array[i]);
    }
    out_ << (a_line_each ? ",\n]" : "]");
    --inside_;
  }

  void inline_table(const toml::table& table) {
    ++inside_;  // of an inline table nothing may be broken into lines
    out_ << "{ ";
    const std::vector<Entry> entries = keys_in_order(table, own_);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      out_ << (i > 0 ? ", " : "") << spelt(*entries[i].key) << " = ";
      value(*entries[i].node);
    }
    out_ << " }";
    --inside_;
  }

  const std::string& own_;
  std::ostringstream out_;
  int inside_ = 0;  // lists and inline tables
};

}  // namespace

std::vector<OrderedKey> keys_in_order(const toml::table& table, const std::string& own) {
  std::vector<OrderedKey> keys;
  for (const auto& [key, node] : table) keys.push_back({&key, &node});
  const auto place = [&own](const OrderedKey& entry) {
    const SourceLocation at = location_of(entry.key->source());
    return std::tuple(at.line == 0, at.file != own, at.line, at.column);
  };
  std::ranges::stable_sort(keys, {}, place);
  return keys;
}

std::string text_of(const toml::table& table, const std::string& own) {
  Writer writer(own);
  writer.document(table, "");
  return writer.take();
}

}  // namespace nightshift::problems
