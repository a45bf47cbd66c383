#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nightshift::puzzles {

// What a server does at the request {"u": 9}, or when it starts, one thing after the other.
struct Act {
  enum class Kind : std::uint8_t {
    kAnswer,      // 10 + u, as at every other request
    kSay,         // `text` to standard output
    kComplain,    // `text` to standard error
    kPour,        // 300 MB of `text` to standard output
    kPourErrors,  // 20 MB of blanks to standard error
    kLater,       // what follows comes once the next request has begun to arrive
    kExit,        // with code `number`
    kSignal,      // `number` to itself
    kHang,
    kCloseOutput,
    kCloseInput,
    kGrandchild,  // that holds standard output
    kDaemon,      // a grandchild in a session of its own
  } kind;
  std::string text = {};
  int number = 0;
};
using Acts = std::vector<Act>;

inline Act say(const std::string& text) { return {Act::Kind::kSay, text}; }
inline Act complain(const std::string& text) { return {Act::Kind::kComplain, text}; }
inline Act pour(const std::string& text) { return {Act::Kind::kPour, text}; }
inline Act leave(int code) { return {Act::Kind::kExit, "", code}; }
inline Act signal_self(int number) { return {Act::Kind::kSignal, "", number}; }
inline const Act answer{Act::Kind::kAnswer}, later{Act::Kind::kLater}, hang{Act::Kind::kHang};
inline const Act close_output{Act::Kind::kCloseOutput}, close_input{Act::Kind::kCloseInput};
inline const Act grandchild{Act::Kind::kGrandchild}, daemon_child{Act::Kind::kDaemon};
inline const Act pour_errors{Act::Kind::kPourErrors};

// Servers of ten lines that answer {"time": 10 + u} to {"u": u}, and 11 to the baseline, but for
// what they do at the start and at the request {"u": 9}.
std::string program_in_bash(const Acts& at_start, const Acts& at_nine);
std::string program_in_perl(const Acts& at_start, const Acts& at_nine);
std::string program_in_node(const Acts& at_start, const Acts& at_nine);

}  // namespace nightshift::puzzles
