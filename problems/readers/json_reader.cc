#include "problems/readers/json_reader.h"
#include "base/nearest.h"

#include <charconv>
#include <cstdint>
#include <utility>

namespace nightshift::problems {
namespace {

// Walks over valid JSON and notes where values begin.
class LocationFinder {
 public:
  LocationFinder(std::string_view text, std::unordered_map<std::string, SourceLocation>& locations,
                 std::unordered_map<std::string, std::string>& beyond)
      : text_(text), locations_(locations), beyond_(beyond) {}

  void run() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (c == '{' || c == '[') {
        note();
        open_.push_back({inner_pointer(), "", c == '[', 0, c == '{'});
      } else if (c == '}' || c == ']') {
        if (!open_.empty()) open_.pop_back();
      } else if (c == ',') {
        if (!open_.empty()) next_element(open_.back());
      } else if (c == '"') {
        string();
      } else if (c != ':' && c != ' ' && c != '\t' && c != '\r') {
        note();
        const std::size_t begin = at_;
        while (at_ + 1 < text_.size() && !ends_literal(text_[at_ + 1])) ++at_;
        note_beyond(text_.substr(begin, at_ + 1 - begin));
      }
    }
  }

 private:
  static constexpr std::size_t kDeepest = 32;

  struct Container {
    std::string pointer;
    std::string key;  // of the member that follows
    bool list = false;
    std::size_t index = 0;
    bool expects_key = false;
  };

  static bool ends_literal(char c) {
    return std::string_view(",]} \t\r\n").find(c) != std::string_view::npos;
  }

  static void next_element(Container& container) {
    ++container.index;
    container.expects_key = !container.list;
  }

  // Of the value that begins here.
  std::string inner_pointer() const {
    if (open_.empty() || open_.size() > kDeepest) return "";
    const Container& outer = open_.back();
    return outer.pointer + "/" + (outer.list ? std::to_string(outer.index) : outer.key);
  }

  void note() {
    if (open_.size() > kDeepest) return;
    locations_.try_emplace(inner_pointer(),
                           SourceLocation{"", line_, static_cast<int>(at_ - line_start_) + 1});
  }

  void note_beyond(std::string_view literal) {
    if (open_.size() > kDeepest) return;
    std::int64_t whole = 0;
    const auto [end, error] =
        std::from_chars(literal.data(), literal.data() + literal.size(), whole);
    const bool is_beyond =
        error == std::errc::result_out_of_range && end == literal.data() + literal.size();
    if (is_beyond) beyond_.try_emplace(inner_pointer(), literal);
  }

  void string() {
    const bool key = !open_.empty() && open_.back().expects_key;
    if (!key) note();
    const std::size_t begin = ++at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (!key) return;
    open_.back().key = text_.substr(begin, at_ - begin);
    open_.back().expects_key = false;
  }

  std::string_view text_;
  std::unordered_map<std::string, SourceLocation>& locations_;
  std::unordered_map<std::string, std::string>& beyond_;
  std::vector<Container> open_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace

JsonLocations::JsonLocations(std::string_view text) {
  LocationFinder(text, locations_, beyond_).run();
}

std::string JsonLocations::beyond_integers(const std::string& pointer) const {
  const auto found = beyond_.find(pointer);
  return found == beyond_.end() ? "" : found->second;
}

SourceLocation JsonLocations::find(const std::string& pointer) const {
  const auto found = locations_.find(pointer);
  return found == locations_.end() ? SourceLocation{} : found->second;
}

SourceLocation JsonReader::location_of(std::string_view key) const {
  const SourceLocation location = locations_->find(pointer_to(key));
  return location.line > 0 ? location : this->location();
}

void JsonReader::error(std::string_view key, const std::string& message) const {
  diagnostics_->add(location_of(key), std::string(key) + " " + message);
}

const nlohmann::json* JsonReader::find(std::string_view key) const {
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const nlohmann::json* JsonReader::require(std::string_view key) const {
  const nlohmann::json* found = find(key);
  if (found == nullptr) {
    std::vector<std::string> present;
    for (const auto& [name, value] : object_->items()) present.push_back(name);
    const std::string near = base::nearest(key, present);
    error(key, "is missing" + (near.empty() ? "" : "; is " + in_quotes(near) + " meant for it?"));
  }
  return found;
}

bool JsonReader::string(std::string_view key, std::string& target) const {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return false;
  if (!found->is_string() || found->get_ref<const std::string&>().find('\0') != std::string::npos) {
    error(key, "must be a text, not " + describe(*found));
    return false;
  }
  target = found->get<std::string>();
  return true;
}

std::optional<double> JsonReader::number(std::string_view key) const {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  error(key, "must be a number, not " + describe(*found));
  return std::nullopt;
}

std::vector<std::string> JsonReader::strings(std::string_view key) const {
  std::vector<std::string> result;
  const nlohmann::json* found = find(key);
  if (found == nullptr) return result;
  for (const nlohmann::json& element : *found) {
    if (!found->is_array() || !element.is_string()) {
      error(key, "must be a list of texts, not " + describe(*found));
      return {};
    }
    result.push_back(element.get<std::string>());
  }
  return result;
}

std::string JsonReader::beyond_integers(std::string_view key, std::size_t element) const {
  return locations_->beyond_integers(pointer_to(key) + "/" + std::to_string(element));
}

std::optional<JsonReader> JsonReader::object(std::string_view key) const {
  const nlohmann::json* found = find(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_object()) return JsonReader(*found, pointer_to(key), *locations_, *diagnostics_);
  error(key, "must be an object, not " + describe(*found));
  return std::nullopt;
}

std::vector<JsonReader> JsonReader::objects(std::string_view key) const {
  std::vector<JsonReader> readers;
  const nlohmann::json* found = find(key);
  if (found == nullptr) return readers;
  if (!found->is_array()) {
    error(key, "must be a list of objects, not " + describe(*found));
    return readers;
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    const std::string pointer = pointer_to(key) + "/" + std::to_string(i);
    if ((*found)[i].is_object()) {
      readers.emplace_back((*found)[i], pointer, *locations_, *diagnostics_);
    } else {
      diagnostics_->add(
          locations_->find(pointer),
          std::string(key) + " must be a list of objects; here is " + describe((*found)[i]));
    }
  }
  return readers;
}

std::string describe(const nlohmann::json& json) {
  if (json.is_string()) return "the text " + in_quotes(json.get_ref<const std::string&>());
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  return json.dump();
}

}  // namespace nightshift::problems
