#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "search/identity.h"

namespace nightshift::scheduler {

// What the head and the agent of a node say to each other: one JSON object a line, whose member
// "say" names the message. What evaluators and builders are asked and answer stands in it as the
// bytes that cross the mailbox (ipc/messages.h), in base64: both ends have the same program, which
// the first line of each makes sure of. Devices are numbered as Found lists them, studies and jobs
// as the head does.
namespace node {

using Bytes = std::vector<std::byte>;

// Something that travels by name, once for each node: a problem, a file, an artifact. See parcel.h.
struct Piece {
  std::string parcel;
  Bytes data;
  bool last = false;
};

// --- Both ways ---

struct Hello {  // first
  std::uint64_t protocol = 0;
  std::string program;       // version
  std::string machine;       // processor and byte order
  std::uint64_t layout = 0;  // of the mailbox's messages
  friend bool operator==(const Hello&, const Hello&) = default;
};
struct Beat {};  // said where nothing else was for a while

// --- Head to agent ---

struct Survey {  // which devices has it for this problem? Surveyed answers, in order
  std::string problem;
};
// With the devices of all that were asked for so far. Found answers, once nobody else uses them
// where that is waited for.
struct Begin {
  bool several = false;          // studies come and go
  std::uint64_t silence_ms = 0;  // NodeTimes::silence of the head; more than 0
  std::uint64_t wait = 0;        // seconds, for devices that others use; 0: not at all
};
struct File {
  std::string path;  // absolute, on the head
  std::string parcel;
};
struct Admit {
  std::uint64_t study = 0;
  std::string problem;
  std::vector<File> files;
  std::uint64_t hot_spares = 0;
  bool builds = true;
};
struct Dismiss {
  std::uint64_t study = 0;
};
struct Open {
  std::uint64_t study = 0, device = 0;
  bool spares = false;
};
struct Close {
  std::uint64_t study = 0, device = 0;
};
struct Builders {
  std::uint64_t study = 0, count = 0;
};
struct Start {
  std::uint64_t job = 0;  // counts up
  std::uint64_t study = 0, trial = 0, attempt = 1, device = 0;
  bool fresh = false;
  bool builds = false;
  Bytes request;  // BuildRequest or EvaluateRequest
};
struct Retire {
  std::uint64_t study = 0, device = 0;
  std::string reason;
};
struct Recall {  // ends as not begun, unless it has begun
  std::uint64_t job = 0;
};
struct Forget {  // the head has an artifact no more, and wants it once it is built again
  std::uint64_t study = 0;
  std::string artifact;
};

// --- Agent to head ---

struct Surveyed {
  std::string problem;
  std::vector<std::uint64_t> devices;     // after Begin only of those that Found lists
  std::vector<search::Identity> made_of;  // for each of these, of the node for this problem
  std::string error;                      // why there is none
};
struct Waiting {  // for devices; said again where it is somebody else who has them
  std::string user;
};
struct Found {
  std::uint64_t builders = 0;
  std::vector<Device> devices;
};
struct Place {  // of one study: where it may start now
  std::uint64_t study = 0;
  std::vector<std::uint64_t> devices;
  bool builds = false;
  friend bool operator==(const Place&, const Place&) = default;
};
struct Places {
  std::uint64_t after = 0;  // the last job that had been taken in
  std::vector<Place> places;
};
struct Ended {
  std::uint64_t job = 0;
  Bytes report;  // EvaluatedReply, of builds too
  Bytes built;   // BuiltReply of a build that succeeded; else empty
  bool fresh = false, killed = false, fresh_program = false;
  bool begun = true;
};
struct Failed {  // the device has left the study
  std::uint64_t study = 0, device = 0;
  std::string reason;
};
struct Said {  // a notice
  std::string text;
};
struct Stopped {  // it was sent a stop signal, which only the head obeys, and serves on
  std::uint64_t signal = 0;
};
struct Refused {  // it cannot serve, and ends
  std::string reason;
};

}  // namespace node

}  // namespace nightshift::scheduler
