#include "problems/readers/recorded/recording.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "base/whole_range.h"
#include "problems/value_list.h"

namespace nightshift::problems {
namespace {

// Follows the parser through the file's object. Depths are the parser's: 1 for the members of the
// whole, 2 for those of its members.
class Splitter {
 public:
  Splitter(const std::string& entries_key, RecordingReader& reader, bool with_headers)
      : entries_key_(entries_key), reader_(&reader), with_headers_(with_headers) {}

  bool early_entries() const { return early_entries_; }

  // False drops what was parsed.
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key) {
      if (depth == 1) member_ = parsed.get_ref<const std::string&>();
      if (depth == 2 && member_ == entries_key_) entry_ = parsed.get_ref<const std::string&>();
      return true;
    }
    if (event == Event::object_start || event == Event::array_start) return true;
    if (depth == 1 && member_ != entries_key_ && with_headers_) reader_->header(member_, parsed);
    if (depth == 2 && member_ == entries_key_) {
      if (reader_->ready()) {
        reader_->entry(entry_, parsed);
      } else {
        early_entries_ = true;
      }
    }
    return depth > 2 || (depth == 2 && member_ != entries_key_);
  }

 private:
  std::string entries_key_, member_, entry_;
  RecordingReader* reader_;
  bool with_headers_;
  bool early_entries_ = false;
};

// Of whole numbers that neither 64 bits with a sign nor those without hold. Figures may be such.
std::vector<double> beyond_integers(std::string_view json) {
  std::vector<double> found;
  bool in_text = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (in_text && c == '\\') ++at;
    if (c == '"') in_text = !in_text;
    if (in_text || (c != '-' && !base::is_digit(c))) continue;
    std::size_t end = at + 1;
    bool is_whole = true;
    for (; end < json.size(); ++end) {
      const char next = json[end];
      if (base::is_digit(next)) continue;
      if (next != '.' && next != 'e' && next != 'E' && next != '+' && next != '-') break;
      is_whole = false;
    }
    constexpr std::size_t kShortest = 19;  // digits
    if (is_whole && end - at >= kShortest) {
      const auto fits = [&](auto number) {
        return std::from_chars(json.data() + at, json.data() + end, number).ec == std::errc{};
      };
      double number = 0;
      std::from_chars(json.data() + at, json.data() + end, number);
      if (!fits(std::int64_t{}) && !fits(std::uint64_t{})) found.push_back(number);
    }
    at = end - 1;
  }
  return found;
}

}  // namespace

search::Value RecordingReader::value_of(const Json& json) const {
  const auto is_beyond = [&] {
    if (json.is_number_float()) return std::ranges::count(beyond_, json.get<double>()) > 0;
    return json.is_number_unsigned() &&
           json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  };
  if (is_beyond()) {
    throw RecordedSpaceError("a parameter has the value " + json.dump() +
                             ", a whole number beyond 64 bits; " + std::string(base::kWholeRange));
  }
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) {
    auto text = json.get<std::string>();
    if (!has_control(text)) return text;
    throw RecordedSpaceError(
        "a parameter has the value " + json.dump() +
        ", with a control character, which a command line and a macro cannot hold");
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  throw RecordedSpaceError("a parameter's value must be a number, a text, true or false");
}

void append_numbers(const Json* json, std::vector<double>& target) {
  if (json == nullptr) return;
  if (json->is_array()) {
    target.reserve(target.size() + json->size());
    for (const Json& element : *json) {
      if (element.is_number()) append_numbers(&element, target);
    }
  } else if (json->is_number()) {
    const auto number = json->get<double>();
    if (std::isfinite(number)) target.push_back(number);
  }
}

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

double number_or(const Json& object, const char* key, double otherwise) {
  const Json* found = member(object, key);
  if (found == nullptr || !found->is_number()) return otherwise;
  const auto number = found->get<double>();
  return std::isfinite(number) ? number : otherwise;
}

std::string text_or(const Json& object, const char* key, const std::string& otherwise) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : otherwise;
}

search::TrialOutcome wrong_result() {
  search::WrongResult outcome;
  outcome.message = "as recorded";
  return outcome;
}

void read_recording(std::string_view json, const std::string& entries_key,
                    RecordingReader& reader) {
  reader.set_beyond_integers(beyond_integers(json));
  const auto parse = [&](bool with_headers) {
    Splitter splitter(entries_key, reader, with_headers);
    const auto whole = Json::parse(json.begin(), json.end(),
                                   [&](int depth, Json::parse_event_t event, const Json& parsed) {
                                     return splitter(depth, event, parsed);
                                   });
    static_cast<void>(whole);  // everything was dropped on the way
    return splitter.early_entries();
  };
  const bool is_early = parse(true);
  if (!(is_early && reader.ready()) && !reader.is_outdated()) return;
  reader.forget_entries();
  parse(false);
}

}  // namespace nightshift::problems
