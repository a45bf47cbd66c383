#include "tools/serve/service_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/text.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kStages{"check", "screen", "confirm", "claim"};
constexpr int kMostDepth = 4;
constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostName = 200;
constexpr double kMostSeconds = 1e6;
constexpr int kMostPriority = 1000;

struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The same line with numbers that no double holds, such as 1e999, as texts: the parser would take
// nothing of a line with one, and its answer have no id.
std::string with_quoted_numbers(std::string_view line) {
  std::string quoted;
  bool in_text = false;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    const std::size_t escape = in_text && c == '\\' ? 2 : 1;
    if (c == '"') in_text = !in_text;
    std::size_t end = std::min(at + escape, line.size());
    const bool is_number = !in_text && (c == '-' || base::is_digit(c));
    if (is_number) end = std::min(line.find_first_not_of("0123456789+-.eE", at), line.size());
    const std::string part(line.substr(at, end - at));
    const bool is_beyond = is_number && std::isinf(std::strtod(part.c_str(), nullptr));
    quoted += is_beyond ? '"' + part + '"' : part;
    at = end;
  }
  return quoted;
}

struct Parsed {
  Json json;
  bool is_deep = false;  // what is nested too deep is left out
};

Parsed parsed(std::string_view line) {
  if (line.size() > kMostLine) throw Wrong("the line is longer than 4 MiB");
  Parsed result;
  const auto look = [&result](int depth, Json::parse_event_t, Json&) {
    result.is_deep = result.is_deep || depth > kMostDepth;
    return depth <= kMostDepth;
  };
  result.json = Json::parse(line, look, false);
  if (result.json.is_discarded()) {
    result.is_deep = false;
    result.json = Json::parse(with_quoted_numbers(line), look, false);
  }
  if (!result.json.is_object()) {
    throw Wrong(result.is_deep ? "the line is nested deeper than 4 levels"
                               : "expected a JSON object a line");
  }
  return result;
}

// The members of a request, each taken once, so that those that nobody knows can be named.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  std::string text(const char* name, std::size_t most = kMostName) {
    const Json* value = take(name);
    if (value == nullptr) return {};
    if (!value->is_string()) throw Wrong(std::string("'") + name + "' must be a text");
    std::string text = value->get<std::string>();
    if (text.size() > most) {
      throw Wrong(std::string("'") + name + "' is longer than " + std::to_string(most) + " bytes");
    }
    return text;
  }

  std::optional<double> number(const char* name, double least, double most) {
    const Json* value = take(name);
    if (value == nullptr) return std::nullopt;
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(number >= least && number <= most)) {
      throw Wrong(std::string("'") + name + "' must be a number from " + Json(least).dump() +
                  " to " + Json(most).dump());
    }
    return number;
  }

  const Json* take(const char* name) {
    known_.insert(name);
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      if (!known_.contains(name)) throw Wrong("nothing is called '" + name + "' here");
    }
  }

 private:
  const Json& json_;
  std::set<std::string> known_;
};

// A path that stays where it is put.
bool is_plain_path(const std::string& name) {
  if (name.empty() || name.size() > kMostName || name.front() == '/') return false;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    const bool is_odd = std::ranges::any_of(
        part, [](char c) { return static_cast<unsigned char>(c) < 32 || c == '"' || c == '\\'; });
    if (part.empty() || part == "." || part == ".." || is_odd) return false;
    begin = end + 1;
  }
  return true;
}

void take_files(Members& members, CandidateRequest& request) {
  const std::string source = members.text("source", kMostLine);
  const Json* files = members.take("files");
  request.path = members.text("path", 4096);
  const std::string main = members.text("main");
  const int given = (source.empty() ? 0 : 1) + (files ? 1 : 0) + (request.path.empty() ? 0 : 1);
  if (given != 1) throw Wrong("expected one of 'source', 'files' and 'path'");
  if (!source.empty()) request.files.emplace_back("", source);
  if (files == nullptr) return;
  if (!files->is_object() || files->empty() || files->size() > kMostFiles) {
    throw Wrong("'files' must be an object of 1 to 64 names with texts");
  }
  for (const auto& [name, text] : files->items()) {
    if (!is_plain_path(name)) throw Wrong("'" + name + "' is no plain relative name of a file");
    if (!text.is_string()) throw Wrong("the text of '" + name + "' is none");
    request.files.emplace_back(name, text.get<std::string>());
  }
  for (const auto& [folder, text] : request.files) {
    for (const auto& [name, other] : request.files) {
      if (name.starts_with(folder + "/")) throw Wrong("'" + folder + "' is a file and a folder");
    }
  }
  if (main.empty()) return;
  const auto found = std::ranges::find(request.files, main, [](const auto& f) { return f.first; });
  if (found == request.files.end()) throw Wrong("'main' is none of the files");
  std::rotate(request.files.begin(), found, found + 1);
}

Stage stage_of(const std::string& name) {
  if (name.empty()) return Stage::kHoldOut;
  const auto found = std::ranges::find(kStages, name);
  if (found == kStages.end()) throw Wrong("'stage' must be check, screen, confirm or claim");
  return static_cast<Stage>(found - kStages.begin());
}

CandidateRequest candidate_of(Members& members, std::string id) {
  CandidateRequest request;
  request.id = std::move(id);
  if (request.id.empty()) throw Wrong("'id' is missing: a text that names the candidate");
  request.client = members.text("client");
  request.problem = members.text("problem");
  request.stage = stage_of(members.text("stage"));
  take_files(members, request);
  request.priority =
      static_cast<int>(members.number("priority", -kMostPriority, kMostPriority).value_or(0));
  request.weight = members.number("weight", 0.001, 1000).value_or(1);
  request.deadline = members.number("deadline", 0, kMostSeconds);
  request.most_time = members.number("seconds", 0.1, kMostSeconds);
  return request;
}

ServiceRequest request_of(const Json& json, const std::string& id) {
  Members members(json);
  (void)members.take("id");
  const std::string ask = members.text("ask");
  ServiceRequest request;
  if (ask.empty() || ask == "judge") {
    request = candidate_of(members, id);
  } else if (ask == "cancel") {
    if (id.empty()) throw Wrong("'id' is missing: that of the candidate");
    request = CancelRequest{id, members.text("client")};
  } else if (ask == "settle") {
    const std::string client = members.text("client");
    request = SettleRequest{id, client, members.text("problem")};
  } else if (ask == "status") {
    request = StatusRequest{id};
  } else {
    throw Wrong("'ask' must be judge, cancel, settle or status");
  }
  members.finish();
  return request;
}

}  // namespace

std::string_view name_of(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }

ServiceRequest parse_request(std::string_view line) {
  std::string id;
  try {
    const Parsed request = parsed(line);
    id = Members(request.json).text("id");
    if (request.is_deep) throw Wrong("the line is nested deeper than 4 levels");
    return request_of(request.json, id);
  } catch (const std::exception& error) {
    return BadRequest{id, error.what()};
  }
}

}  // namespace nightshift::tools
