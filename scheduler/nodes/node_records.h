#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/nodes/node_line.h"
#include "scheduler/nodes/node_session.h"
#include "scheduler/nodes/parcel.h"
#include "scheduler/nodes/portable_problem.h"
#include "scheduler/shared_pool.h"

namespace nightshift::scheduler {

// What the pool of nodes (node_pool.h) keeps of each node, problem, device and study.

using NodeIndex = std::size_t;

struct JobInHand {
  StudyIndex study = 0;
  Job job;
  Clock::TimePoint sent;
};

struct SeenStudy {  // of a study on a node, as the node said last
  std::set<std::uint64_t> devices;
  bool builds = false;
};

struct NodeRecord {
  NodeSession session;
  std::vector<DeviceIndex> devices = {};  // by the node's number
  int builders = 0;
  std::map<std::uint64_t, JobInHand> jobs = {};
  double delay = 0;                         // seconds from saying something to its answer, smoothed
  std::set<std::uint64_t> forgotten = {};   // jobs of studies that were dismissed
  std::uint64_t started = 0, heard_of = 0;  // last job here and there
  std::map<StudyIndex, SeenStudy> seen = {};  // studies that are admitted there
  std::map<StudyIndex, std::uint64_t> last_build = {};
  ArrivingParcels arriving = {};
  std::size_t asked = 0, answered = 0;       // problems, in order, since its link was opened
  std::vector<node::Surveyed> answers = {};  // until it serves, which is once it has given all
  std::optional<node::Found> found = {};
  std::optional<Clock::TimePoint> lost = {};  // since when; its devices are away later
  bool away = false;
  std::optional<Clock::TimePoint> signalled = {};  // when its agent was told to stop
  std::string signal = {};                         // with which

  bool serves() const { return session.ready() && !signalled; }
  // It had the device when it named its devices last.
  bool has(DeviceIndex device) const { return std::ranges::find(devices, device) != devices.end(); }
};

struct AskedRecord {  // a problem that nodes are asked about
  node::Bytes problem;
  std::vector<DeviceIndex> devices;
  std::map<NodeIndex, std::string> errors;
};

struct HostRecord {  // where a device is
  NodeIndex node = 0;
  std::uint64_t number = 0;
  std::uint64_t last_job = 0;
  std::uint64_t at_work = 0, queued = 0;  // jobs in hand: the second begins when the first ends
  bool recalled = false;                  // the second

  void leave(std::uint64_t job) {
    if (job == at_work) at_work = std::exchange(queued, 0);
    if (job == queued) queued = 0;
  }
};

struct MemberRecord {  // a study that is admitted
  PoolStudy study;
  node::Bytes problem;
  std::vector<ProblemFile> files;
  std::map<DeviceIndex, bool> open;  // with spares or not
  std::set<DeviceIndex> failed;
  std::string kind;  // of its devices; empty until the first
  int builders = 0;
  std::uint64_t number = 0;  // on all nodes
};

}  // namespace nightshift::scheduler
