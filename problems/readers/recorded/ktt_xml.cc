#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "problems/readers/json_format.h"
#include "problems/readers/recorded/ktt_results.h"

namespace nightshift::problems {
namespace {

using Attributes = std::vector<std::pair<std::string, std::string>>;

struct Tag {
  std::string name;
  Attributes attributes;
  bool opens = false;   // <name ...> or <name .../>
  bool closes = false;  // </name> or <name .../>
};

// The tags of a document one after the other; text between them, comments and declarations have
// nothing to say in this form and are skipped.
class TagReader {
 public:
  explicit TagReader(std::string_view xml) : xml_(xml) {}

  std::optional<Tag> next() {
    while (find_tag()) {
      if (starts("<!--")) {
        skip_behind("-->");
      } else if (starts("<?")) {
        skip_behind("?>");
      } else if (starts("<!")) {
        skip_behind(">");
      } else {
        return tag();
      }
    }
    return std::nullopt;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw RecordedSpaceError("line " + std::to_string(position_in(xml_, at_).line) + ": " + what);
  }

 private:
  bool starts(std::string_view text) const { return xml_.substr(at_).starts_with(text); }

  bool find_tag() {
    at_ = std::min(xml_.find('<', at_), xml_.size());
    return at_ < xml_.size();
  }

  void skip_behind(std::string_view end) {
    const std::size_t found = xml_.find(end, at_);
    if (found == std::string_view::npos)
      fail("no valid XML: '" + std::string(end) + "' is missing");
    at_ = found + end.size();
  }

  void skip_blanks() { at_ = std::min(xml_.find_first_not_of(" \t\r\n", at_), xml_.size()); }

  bool skip(char c) {
    if (at_ == xml_.size() || xml_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string name() {
    const std::size_t end = std::min(xml_.find_first_of(" \t\r\n=/><\"'", at_), xml_.size());
    std::string name(xml_.substr(at_, end - at_));
    if (name.empty()) fail("no valid XML: a name is missing");
    at_ = end;
    return name;
  }

  Tag tag() {
    Tag tag;
    ++at_;  // '<'
    tag.closes = skip('/');
    tag.opens = !tag.closes;
    tag.name = name();
    for (skip_blanks(); !skip('>'); skip_blanks()) {
      if (skip('/')) {
        tag.closes = true;
        continue;
      }
      if (at_ == xml_.size()) fail("no valid XML: it ends inside <" + tag.name + ">");
      std::string key = name();
      skip_blanks();
      if (!skip('=')) fail("no valid XML: the attribute " + key + " has no value");
      skip_blanks();
      tag.attributes.emplace_back(std::move(key), value());
    }
    return tag;
  }

  std::string value() {
    const char quote = at_ < xml_.size() ? xml_[at_] : '\0';
    const std::size_t end =
        quote == '"' || quote == '\'' ? xml_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail("no valid XML: a value has no quotes around it");
    const std::string_view text = xml_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return without_entities(text);
  }

  std::string without_entities(std::string_view text) const {
    constexpr std::array<std::pair<std::string_view, char>, 6> kEntities = {{{"&lt;", '<'},
                                                                             {"&gt;", '>'},
                                                                             {"&amp;", '&'},
                                                                             {"&quot;", '"'},
                                                                             {"&apos;", '\''},
                                                                             {"&#39;", '\''}}};
    std::string plain;
    while (!text.empty()) {
      const auto found = std::ranges::find_if(
          kEntities, [&](const auto& entity) { return text.starts_with(entity.first); });
      plain += found == kEntities.end() ? text.front() : found->second;
      text.remove_prefix(found == kEntities.end() ? 1 : found->first.size());
    }
    for (std::string_view rest = plain; !rest.empty();) {
      const std::size_t length = base::utf8_length(rest);
      if (length == 0) fail("a value is not UTF-8");
      rest.remove_prefix(length);
    }
    return plain;
  }

  std::string_view xml_;
  std::size_t at_ = 0;
};

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A number where the text is one.
Json plain_value(const std::string& text) {
  if (const auto number = parsed<double>(text)) return *number;
  return text;
}

Json object_of(const Tag& tag) {
  Json object = Json::object();
  for (const auto& [key, value] : tag.attributes) object[key] = plain_value(value);
  return object;
}

// A parameter: its type says how its value is written.
Json pair_of(const Tag& tag, const TagReader& reader) {
  std::string type, value;
  Json pair = Json::object();
  for (const auto& [key, text] : tag.attributes) {
    if (key == "ValueType") type = text;
    if (key == "Value") value = text;
    if (key == "Name") pair["Name"] = text;
  }
  if (type == "String") {
    pair["Value"] = value;
  } else if (type == "Bool") {
    pair["Value"] = value == "true" || value == "1";
  } else if (const auto whole = parsed<std::int64_t>(value); whole && type.ends_with("Int")) {
    pair["Value"] = *whole;
  } else if (const auto number = parsed<double>(value)) {
    pair["Value"] = *number;
  } else {
    reader.fail("the Value '" + value.substr(0, 40) + "' is no " +
                (type.empty() ? "number" : type));
  }
  return pair;
}

}  // namespace

void read_ktt_xml(std::string_view xml, RecordingReader& reader) {
  TagReader tags(xml);
  Json result;  // null outside of a KernelResult
  while (const auto tag = tags.next()) {
    if (tag->opens && tag->name == "Metadata") {
      Json metadata = Json::object();
      for (const auto& [key, value] : tag->attributes) metadata[key] = value;
      reader.header("Metadata", metadata);
    }
    if (tag->opens && tag->name == "KernelResult") {
      result = object_of(*tag);
      for (const char* text : {"KernelName", "Status"}) {
        const auto found = std::ranges::find(
            tag->attributes, text, [](const auto& a) { return std::string_view(a.first); });
        if (found != tag->attributes.end()) result[text] = found->second;
      }
      result["Configuration"] = Json::array();
      result["ComputationResults"] = Json::array();
    }
    if (tag->opens && !result.is_null()) {
      if (tag->name == "Pair") result["Configuration"].push_back(pair_of(*tag, tags));
      if (tag->name == "ComputationResult") {
        result["ComputationResults"].push_back(object_of(*tag));
      }
    }
    if (tag->closes && tag->name == "KernelResult" && !result.is_null()) {
      reader.entry("", std::exchange(result, Json()));
    }
  }
  if (!result.is_null()) tags.fail("no valid XML: <KernelResult> is not closed");
}

}  // namespace nightshift::problems
