#include "scheduler/pool/worker_reply.h"

#include <algorithm>
#include <cctype>

namespace nightshift::scheduler {
namespace {

void expect(const ipc::Record& record, ipc::MessageKind kind) {
  const auto wanted = static_cast<std::uint32_t>(kind);
  if (record.header.kind == wanted) return;
  throw ipc::DecodeError("message of kind " + std::to_string(record.header.kind) + " instead of " +
                         std::to_string(wanted));
}

ipc::BuiltReply read_built(const ipc::Record& record) {
  expect(record, ipc::MessageKind::kBuilt);
  auto reply = ipc::decode<ipc::BuiltReply>(record.payload);
  if (const auto* artifact = std::get_if<ipc::Artifact>(&reply.result)) {
    if (!is_file_name(artifact->hash)) throw ipc::DecodeError("an artifact without a hash");
  }
  return reply;
}

ipc::EvaluatedReply read_evaluated(const ipc::Record& record) {
  expect(record, ipc::MessageKind::kEvaluated);
  auto reply = ipc::decode<ipc::EvaluatedReply>(record.payload);
  if (std::holds_alternative<search::Skipped>(reply.report.outcome)) {
    throw ipc::DecodeError("an evaluator cannot skip a trial");
  }
  if (!reply.damaged.empty() &&
      (!is_file_name(reply.damaged) || !search::is_failure(reply.report.outcome))) {
    throw ipc::DecodeError("an artifact that cannot be damaged");
  }
  return reply;
}

}  // namespace

bool is_file_name(const std::string& name) {
  constexpr std::size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
}

std::string read_configured(const ipc::Record& record) {
  expect(record, ipc::MessageKind::kConfigured);
  return ipc::decode<ipc::ConfiguredReply>(record.payload).error;
}

Reply read_reply(const ipc::Record& record, ipc::MessageKind request) {
  if (request == ipc::MessageKind::kBuild) return read_built(record);
  return read_evaluated(record);
}

}  // namespace nightshift::scheduler
