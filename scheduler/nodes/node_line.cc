#include "scheduler/nodes/node_line.h"

#include <sys/utsname.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "ipc/messages.h"
#include "ipc/record.h"
#include "scheduler/nodes/base64.h"

namespace nightshift::scheduler {
namespace {

using nlohmann::json;

// --- What each message has, for reading and writing ---

template <class A>
void io(A& a, node::Hello& m) {
  a("protocol", m.protocol), a("program", m.program), a("machine", m.machine);
  a("layout", m.layout);
}
template <class A>
void io(A&, node::Beat&) {}
template <class A>
void io(A& a, node::Piece& m) {
  a("parcel", m.parcel), a("data", m.data), a("last", m.last);
}
template <class A>
void io(A& a, node::Survey& m) {
  a("problem", m.problem);
}
template <class A>
void io(A& a, node::Begin& m) {
  a("several", m.several), a("silence_ms", m.silence_ms), a("wait", m.wait);
}
template <class A>
void io(A& a, node::File& m) {
  a("path", m.path), a("parcel", m.parcel);
}
template <class A>
void io(A& a, node::Admit& m) {
  a("study", m.study), a("problem", m.problem), a("files", m.files);
  a("hot_spares", m.hot_spares), a("builds", m.builds);
}
template <class A>
void io(A& a, node::Dismiss& m) {
  a("study", m.study);
}
template <class A>
void io(A& a, node::Open& m) {
  a("study", m.study), a("device", m.device), a("spares", m.spares);
}
template <class A>
void io(A& a, node::Close& m) {
  a("study", m.study), a("device", m.device);
}
template <class A>
void io(A& a, node::Builders& m) {
  a("study", m.study), a("count", m.count);
}
template <class A>
void io(A& a, node::Start& m) {
  a("job", m.job), a("study", m.study), a("trial", m.trial), a("attempt", m.attempt);
  a("device", m.device), a("fresh", m.fresh), a("builds", m.builds), a("request", m.request);
}
template <class A>
void io(A& a, node::Retire& m) {
  a("study", m.study), a("device", m.device), a("reason", m.reason);
}
template <class A>
void io(A& a, node::Recall& m) {
  a("job", m.job);
}
template <class A>
void io(A& a, node::Forget& m) {
  a("study", m.study), a("artifact", m.artifact);
}
template <class A>
void io(A& a, ipc::GpuTarget& m) {
  a("uuid", m.uuid), a("architecture", m.architecture), a("multiprocessors", m.multiprocessors);
}
template <class A>
void io(A& a, search::IdentityPart& m) {
  std::string part = search::key_of(m);
  a("part", part), a("value", m.value);
  const bool is_line = (part + m.value).find('\n') == std::string::npos;
  auto read = search::part_of(part, m.value);
  if (!read || !is_line) throw LineError("no machine has such a part: \"" + part + "\"");
  m = *std::move(read);
}
template <class A>
void io(A& a, Device& m) {
  a("node", m.node), a("uuid", m.uuid), a("name", m.name), a("cores", m.cores), a("gpu", m.gpu);
  a("users", m.users), a("made_of", m.made_of);
}
template <class A>
void io(A& a, node::Surveyed& m) {
  a("problem", m.problem), a("devices", m.devices), a("made_of", m.made_of), a("error", m.error);
}
template <class A>
void io(A& a, node::Waiting& m) {
  a("user", m.user);
}
template <class A>
void io(A& a, node::Found& m) {
  a("builders", m.builders), a("devices", m.devices);
}
template <class A>
void io(A& a, node::Place& m) {
  a("study", m.study), a("devices", m.devices), a("builds", m.builds);
}
template <class A>
void io(A& a, node::Places& m) {
  a("after", m.after), a("places", m.places);
}
template <class A>
void io(A& a, node::Ended& m) {
  a("job", m.job), a("report", m.report), a("built", m.built), a("fresh", m.fresh);
  a("killed", m.killed), a("fresh_program", m.fresh_program), a("begun", m.begun);
}
template <class A>
void io(A& a, node::Failed& m) {
  a("study", m.study), a("device", m.device), a("reason", m.reason);
}
template <class A>
void io(A& a, node::Said& m) {
  a("text", m.text);
}
template <class A>
void io(A& a, node::Stopped& m) {
  a("signal", m.signal);
}
template <class A>
void io(A& a, node::Refused& m) {
  a("reason", m.reason);
}

// --- Members of an object, written and read by the same io() ---

class Writer {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    object[name] = text_of(value);
  }
  json object = json::object();

 private:
  static json text_of(const node::Bytes& bytes) { return to_base64(bytes); }
  template <class T>
  static json text_of(const std::vector<T>& items) requires(!std::same_as<T, std::byte>) {
    json list = json::array();
    for (const T& item : items) list.push_back(text_of(item));
    return list;
  }
  template <class T>
  static json text_of(const T& value) {
    if constexpr (std::is_class_v<T> && !std::same_as<T, std::string>) {
      Writer inner;
      io(inner, const_cast<T&>(value));
      return inner.object;
    } else {
      return value;
    }
  }
};

class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {
    if (!object.is_object()) throw LineError("no object");
  }
  template <class T>
  void operator()(const char* name, T& value) {
    const auto found = object_.find(name);
    if (found == object_.end()) throw LineError(std::string("\"") + name + "\" is missing");
    ++read_;
    take(*found, value, name);
  }
  void expect_no_more() const {
    if (object_.size() != read_) throw LineError("it has members that nobody knows");
  }
  void skip_one() { ++read_; }

 private:
  [[noreturn]] static void refuse(const char* name, const char* expected) {
    throw LineError(std::string("\"") + name + "\" is not " + expected);
  }
  static void take(const json& from, std::string& text, const char* name) {
    if (!from.is_string()) refuse(name, "a text");
    text = from.get<std::string>();
  }
  static void take(const json& from, bool& value, const char* name) {
    if (!from.is_boolean()) refuse(name, "true or false");
    value = from.get<bool>();
  }
  template <std::integral T>
  static void take(const json& from, T& value, const char* name) requires(!std::same_as<T, bool>) {
    if (!from.is_number_unsigned()) refuse(name, "a whole number");
    const auto number = from.get<std::uint64_t>();
    if (!std::in_range<T>(number)) refuse(name, "in range");
    value = static_cast<T>(number);
  }
  static void take(const json& from, node::Bytes& bytes, const char* name) {
    auto read = from.is_string() ? from_base64(from.get_ref<const std::string&>()) : std::nullopt;
    if (!read) refuse(name, "base64");
    bytes = std::move(*read);
  }
  template <class T>
  static void take(const json& from, std::vector<T>& items,
                   const char* name) requires(!std::same_as<T, std::byte>) {
    if (!from.is_array()) refuse(name, "a list");
    items.clear();
    for (const json& item : from) take(item, items.emplace_back(), name);
  }
  template <class T>
  static void take(const json& from, T& value,
                   const char*) requires(std::is_class_v<T>&& std::is_aggregate_v<T>) {
    Reader inner(from);
    io(inner, value);
    inner.expect_no_more();
  }

  const json& object_;
  std::size_t read_ = 0;
};

// --- Names ---

template <class Message>
constexpr const char* kName = nullptr;
template <>
constexpr const char* kName<node::Hello> = "hello";
template <>
constexpr const char* kName<node::Beat> = "beat";
template <>
constexpr const char* kName<node::Piece> = "piece";
template <>
constexpr const char* kName<node::Survey> = "survey";
template <>
constexpr const char* kName<node::Begin> = "begin";
template <>
constexpr const char* kName<node::Admit> = "admit";
template <>
constexpr const char* kName<node::Dismiss> = "dismiss";
template <>
constexpr const char* kName<node::Open> = "open";
template <>
constexpr const char* kName<node::Close> = "close";
template <>
constexpr const char* kName<node::Builders> = "builders";
template <>
constexpr const char* kName<node::Start> = "start";
template <>
constexpr const char* kName<node::Retire> = "retire";
template <>
constexpr const char* kName<node::Recall> = "recall";
template <>
constexpr const char* kName<node::Forget> = "forget";
template <>
constexpr const char* kName<node::Surveyed> = "surveyed";
template <>
constexpr const char* kName<node::Waiting> = "waiting";
template <>
constexpr const char* kName<node::Found> = "found";
template <>
constexpr const char* kName<node::Places> = "places";
template <>
constexpr const char* kName<node::Ended> = "ended";
template <>
constexpr const char* kName<node::Failed> = "failed";
template <>
constexpr const char* kName<node::Said> = "said";
template <>
constexpr const char* kName<node::Stopped> = "stopped";
template <>
constexpr const char* kName<node::Refused> = "refused";

template <class... Messages>
std::string written(const std::variant<Messages...>& message) {
  Writer writer;
  std::visit(
      [&](const auto& m) {
        using Message = std::remove_cvref_t<decltype(m)>;
        writer.object["say"] = kName<Message>;
        io(writer, const_cast<Message&>(m));
      },
      message);
  return writer.object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

template <class Variant, class Message>
bool read_as(const std::string& say, Reader& reader, Variant& result) {
  if (say != kName<Message>) return false;
  Message message;
  io(reader, message);
  reader.expect_no_more();
  result = std::move(message);
  return true;
}

template <class... Messages>
void read_any(const std::string& say, Reader& reader, std::variant<Messages...>& result) {
  using Variant = std::variant<Messages...>;
  if (!(read_as<Variant, Messages>(say, reader, result) || ...)) {
    throw LineError("nobody says \"" + say.substr(0, 40) + "\"");
  }
}

template <class Variant>
Variant parsed(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (object.is_discarded()) throw LineError("it is no JSON");
  Reader reader(object);
  std::string say;
  reader("say", say);
  Variant result;
  read_any(say, reader, result);
  return result;
}

}  // namespace

std::string line_of(const HeadLine& message) { return written(message); }
std::string line_of(const AgentLine& message) { return written(message); }
HeadLine head_line(std::string_view line) { return parsed<HeadLine>(line); }
AgentLine agent_line(std::string_view line) { return parsed<AgentLine>(line); }

node::Hello own_hello() {
  utsname system{};
  const bool known = ::uname(&system) == 0;
  constexpr bool kLittle = std::endian::native == std::endian::little;
  std::uint32_t layout = ipc::crc32c(0, ipc::encode(ipc::ConfigureRequest{}));
  layout = ipc::crc32c(layout, ipc::encode(ipc::EvaluateRequest{}));
  layout = ipc::crc32c(layout, ipc::encode(ipc::EvaluatedReply{}));
  return {kNodeProtocol, NIGHTSHIFT_VERSION,
          std::string(known ? system.machine : "unknown") + (kLittle ? "" : " big-endian"), layout};
}

std::string why_not_together(const node::Hello& mine, const node::Hello& other,
                             const std::string& where) {
  if (mine == other) return "";
  if (mine.machine != other.machine) {
    return where + " is on " + other.machine + " and this is " + mine.machine +
           ": nodes of one run have the same processors' architecture";
  }
  if (mine.program == other.program) {
    return where + " has another build of nightshift " + mine.program +
           ": install the same one on both";
  }
  return where + " has nightshift " + other.program + " and this is " + mine.program +
         ": install the same version on both";
}

}  // namespace nightshift::scheduler
