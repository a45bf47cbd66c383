#include "ipc/archive.h"
#include "ipc/messages.h"
#include "ipc/problem_io.h"
#include "ipc/trial_io.h"

namespace nightshift::ipc {

namespace codec {

template <>
inline constexpr auto kLast<BuildTarget> = BuildTarget::kReference;

// Raised with every change of a message. Parent and evaluator are built together, except for a
// user's own evaluator program; the first message tells such a one that it has to be built anew.
constexpr std::uint32_t kFormat = 8;

template <class Archive>
void io(Archive& archive, GpuTarget& m) {
  auto& [uuid, architecture, multiprocessors] = m;
  all(archive, uuid, architecture, multiprocessors);
}

template <class Archive>
void io(Archive& archive, ConfigureRequest& m) {
  std::uint32_t format = kFormat;
  io(archive, format);
  if (format != kFormat) {
    throw DecodeError("the parent speaks format " + std::to_string(format) + ", this program " +
                      std::to_string(kFormat) + ": build both from the same version");
  }
  auto& [problem, artifact_folder, scratch_folder, own_program, seed, gpu, measures] = m;
  all(archive, problem, artifact_folder, scratch_folder, own_program, seed, gpu, measures);
}

template <class Archive>
void io(Archive& archive, ConfiguredReply& m) {
  auto& [error] = m;
  all(archive, error);
}

template <class Archive>
void io(Archive& archive, BuildRequest& m) {
  auto& [target, configuration] = m;
  all(archive, target, configuration);
}

template <class Archive>
void io(Archive& archive, Artifact& m) {
  auto& [hash, bytes] = m;
  all(archive, hash, bytes);
}

template <class Archive>
void io(Archive& archive, BuiltReply& m) {
  auto& [result, seconds] = m;
  all(archive, result, seconds);
}

template <class Archive>
void io(Archive& archive, EvaluateRequest& m) {
  auto& [configuration, artifact, reference, seed, sampling, give_up_above, patience, left] = m;
  all(archive, configuration, artifact, reference, seed, sampling, give_up_above, patience, left);
}

template <class Archive>
void io(Archive& archive, EvaluatedReply& m) {
  auto& [report, spent, fresh_program, damaged] = m;
  all(archive, report, spent, fresh_program, damaged);
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
