#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nightshift::tools {

// What clients of `nightshift serve` ask: JSON objects, a line each (docs/serve.md).

inline constexpr std::size_t kMostLine = std::size_t{4} << 20;  // bytes
inline constexpr int kProtocol = 1;

// How far a candidate is taken.
enum class Stage : std::uint8_t {
  kCheck,    // it builds, runs and is right
  kScreen,   // and what one evaluation shows
  kConfirm,  // a duel with the incumbent, where that promises a gain
  kHoldOut,  // and a hold-out: only then it is kept
};
std::string_view name_of(Stage stage);  // "check", "screen", "confirm", "claim"

// Names, relative, with texts; the first one is the source. One without a name: `source`.
using CandidateFiles = std::vector<std::pair<std::string, std::string>>;

struct CandidateRequest {
  std::string id;       // the client's own; at most 200 bytes
  std::string client;   // empty: the one that has no name
  std::string problem;  // its name; empty where there is one problem
  Stage stage = Stage::kHoldOut;
  CandidateFiles files;
  std::string path;  // instead of files: of a source on this machine
  int priority = 0;
  double weight = 1;                // of the client's share of the devices' time
  std::optional<double> deadline;   // seconds from now
  std::optional<double> most_time;  // seconds of a device
};
struct CancelRequest {
  std::string id, client;
};
// The incumbent against the problem's own baseline, on new data.
struct SettleRequest {
  std::string id, client, problem;
};
struct StatusRequest {
  std::string id;
};
// What is wrong, with the id where there is one.
struct BadRequest {
  std::string id, error;
};
using ServiceRequest =
    std::variant<BadRequest, CandidateRequest, CancelRequest, SettleRequest, StatusRequest>;

// Never throws: what is wrong is a BadRequest.
ServiceRequest parse_request(std::string_view line);

}  // namespace nightshift::tools
