#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "search/configuration.h"
#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::ipc {

// What parent and evaluator say to each other, and its binary form. Writer and reader of each
// message are the same function (trial_codec.cc), so they cannot drift apart.
enum class MessageKind : std::uint32_t {
  kConfigure = 1,
  kBuild = 2,
  kEvaluate = 3,
  kStop = 4,  // parent -> child
  kConfigured = 17,
  kBuilt = 18,
  kEvaluated = 19,  // child -> parent
};

// The GPU that an evaluator runs on, or that a builder builds for.
struct GpuTarget {
  std::string uuid;         // "GPU-..."; empty = none
  int architecture = 0;     // compute capability, ten times major plus minor: 90
  int multiprocessors = 0;  // what expressions call SM_COUNT
  friend bool operator==(const GpuTarget&, const GpuTarget&) = default;
};

// First message to an evaluator or builder, and again when it is to serve another problem.
struct ConfigureRequest {
  search::Problem problem;
  std::string artifact_folder;  // absolute; builders put finished artifacts here, named by hash
  std::string scratch_folder;   // absolute; this process's own, removed by the parent
  std::string own_program;      // absolute path of the evaluator program
  std::uint64_t seed = 0;       // of inputs and resampling
  GpuTarget gpu;                // for CUDA problems
  bool measures = true;         // false: a builder, which leaves the device alone
};
struct ConfiguredReply {
  std::string error;  // empty = ready to serve; else the problem cannot be served, and why
};

enum class BuildTarget : std::uint8_t { kCandidate, kReference };
struct BuildRequest {
  BuildTarget target = BuildTarget::kCandidate;
  search::Configuration configuration;
  double patience =
      0;  // seconds that it may take, where less than limits.build; 0: as long as that
};
// A finished build, named by the hash of its content (XXH3-128, 32 hex digits) wherever it is. The
// process that opens it finds it under that name in its artifact folder.
struct Artifact {
  std::string hash;
  std::uint64_t bytes = 0;
  friend bool operator==(const Artifact&, const Artifact&) = default;
};
struct BuiltReply {
  // TimedOut: what builds was held from outside until its limit.
  std::variant<Artifact, search::BuildFailed, search::TimedOut> result;
  double seconds = 0;
};

struct EvaluateRequest {
  search::Configuration configuration;  // empty = baseline
  std::string artifact;                 // hash; empty for backends that do not build
  std::string reference;                // hash of the reference's artifact; may be empty
  std::uint64_t seed = 0;               // of this evaluation: inputs and resampling
  search::SamplingPlan sampling;
  // In the unit of the primary objective, oriented so that lower is better: a trial whose first
  // samples are all above is given up. 0 = never.
  double give_up_above = 0;
  // Seconds that the whole may take, where that is less than limits.trial; 0 = no such limit.
  double patience = 0;
  // Seconds of the budget that are left. What is built in an evaluation is no part of the limits of
  // the whole, but of this; 0 = no such limit.
  double left = 0;
};
struct EvaluatedReply {
  search::TrialReport report;
  // The process can serve no other trial: its device context is broken, or its output is lost.
  bool spent = false;
  // A program that had served no other trial ran the candidate, however old this process is.
  bool fresh_program = false;
  // Of a failure: the artifact that was asked for and is gone, or is not what its name says. It
  // says nothing of the candidate, and can be built again.
  std::string damaged = {};
};
struct StopRequest {};

// The bytes are not such a message. Thrown by decode only; a child's bytes never do worse.
class DecodeError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::byte> encode(const ConfigureRequest& m);
std::vector<std::byte> encode(const ConfiguredReply& m);
std::vector<std::byte> encode(const BuildRequest& m);
std::vector<std::byte> encode(const BuiltReply& m);
std::vector<std::byte> encode(const EvaluateRequest& m);
std::vector<std::byte> encode(const EvaluatedReply& m);

// Specialised for each message above: bounds-checked, exact length, enumerators in range, finite
// counts. Throws DecodeError.
template <class Message>
Message decode(std::span<const std::byte> bytes);

}  // namespace nightshift::ipc
