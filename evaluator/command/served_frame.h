#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "evaluator/command/command_figures.h"
#include "search/trial.h"

// What a program of protocol 2 says, one object a line (README.md, "Protocol 2"): the one place
// that reads it.
namespace nightshift::evaluator::served {

constexpr int kProtocol = 2;
using Texts = std::vector<std::pair<std::string, std::string>>;

enum class Role : std::uint8_t { kBuild, kMeasure };
std::string_view name_of(Role role);  // "build", "measure"

struct Hello {
  int protocol = 0;
  bool builds = false, measures = false;
  bool distrusts = false;  // it heeds "trust": "none"
  bool audits = false;     // it heeds "audit"
  Texts versions;
};
struct Mark {
  search::Phase phase = search::Phase::kMeasure;
};
struct Built {
  Texts figures;  // of the compiler: registers, spills, shared
};
struct Answer {
  std::vector<search::Samples> figures;
  bool given_up = false;
  Texts conditions;
};
// The phase of a Crashed is the reader's to set. `fresh`: what failed had served no other trial.
struct Failure {
  search::TrialOutcome outcome;
  bool fresh = false;
};
struct Dropped {};
// It is no frame of the protocol, and why.
struct Flaw {
  std::string why;
};
using Said = std::variant<Hello, Mark, Built, Answer, Failure, Dropped, Flaw>;

struct Frame {
  std::uint64_t id = 0;  // of the request that it belongs to; 0 for Hello and most flaws
  Said said;
};

// `line` is whole; nullopt where it is none of the protocol's, as it does not begin with a brace.
// `wall_seconds` is how long the answer took, for figures that are wall time. Figures that cannot
// be used are a Failure, a missing one is a flaw.
std::optional<Frame> read_frame(std::string_view line, Role role, const FigureRules& rules,
                                double wall_seconds);

}  // namespace nightshift::evaluator::served
