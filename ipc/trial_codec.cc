#include "ipc/archive.h"
#include "ipc/messages.h"
#include "ipc/trial_enumerators.h"
#include "search/configuration.h"
#include "search/expression.h"

namespace nightshift::ipc {

namespace codec {

template <>
inline constexpr auto kLast<BuildTarget> = BuildTarget::kReference;

// Raised with every change of a message. Parent and evaluator are built together, except for a
// user's own evaluator program; the first message tells such a one that it has to be built anew.
constexpr std::uint32_t kFormat = 12;

// Values of search/ that are not plain aggregates.

template <class Archive>
void io(Archive& archive, search::Configuration& configuration) {
  if constexpr (Archive::kReads) {
    std::vector<search::Configuration::Entry> entries;
    io(archive, entries);
    configuration = search::Configuration(std::move(entries));
  } else {
    io(archive, const_cast<std::vector<search::Configuration::Entry>&>(configuration.entries()));
  }
}

template <class Archive>
void io(Archive& archive, search::Expression& expression) {
  if constexpr (Archive::kReads) {
    std::string text;
    io(archive, text);
    try {
      expression = search::Expression::parse(text);
    } catch (const search::ExpressionError& e) {
      throw DecodeError("no expression: '" + text + "': " + e.what());
    }
  } else {
    io(archive, const_cast<std::string&>(expression.text()));
  }
}

template <class Archive>
void io(Archive& archive, search::Problem& problem) {
  members(archive, problem);
  if constexpr (Archive::kReads) {
    if (!search::can_run_on(problem.backend, problem.target)) {
      throw DecodeError("a backend that cannot run on its target");
    }
  }
}

template <class Archive>
void io(Archive& archive, ConfigureRequest& m) {
  std::uint32_t format = kFormat;
  io(archive, format);
  if (format != kFormat) {
    throw DecodeError("the parent speaks format " + std::to_string(format) + ", this program " +
                      std::to_string(kFormat) + ": build both from the same version");
  }
  members(archive, m);
}

namespace {

constexpr std::size_t kUsualBytes = 512;  // of a message: most need one allocation

template <class Message>
std::vector<std::byte> to_bytes(const Message& message) {
  std::vector<std::byte> bytes;
  bytes.reserve(kUsualBytes);
  Writer writer(bytes);
  io(writer, const_cast<Message&>(message));  // a Writer changes nothing
  return bytes;
}

}  // namespace
}  // namespace codec

std::vector<std::byte> encode(const ConfigureRequest& m) { return codec::to_bytes(m); }
std::vector<std::byte> encode(const ConfiguredReply& m) { return codec::to_bytes(m); }
std::vector<std::byte> encode(const BuildRequest& m) { return codec::to_bytes(m); }
std::vector<std::byte> encode(const BuiltReply& m) { return codec::to_bytes(m); }
std::vector<std::byte> encode(const EvaluateRequest& m) { return codec::to_bytes(m); }
std::vector<std::byte> encode(const EvaluatedReply& m) { return codec::to_bytes(m); }

template <class Message>
Message decode(std::span<const std::byte> bytes) {
  Message message;
  codec::Reader reader(bytes);
  io(reader, message);
  if (reader.left() > 0) throw DecodeError("the message has bytes after its end");
  return message;
}

template ConfigureRequest decode<ConfigureRequest>(std::span<const std::byte>);
template ConfiguredReply decode<ConfiguredReply>(std::span<const std::byte>);
template BuildRequest decode<BuildRequest>(std::span<const std::byte>);
template BuiltReply decode<BuiltReply>(std::span<const std::byte>);
template EvaluateRequest decode<EvaluateRequest>(std::span<const std::byte>);
template EvaluatedReply decode<EvaluatedReply>(std::span<const std::byte>);

}  // namespace nightshift::ipc
