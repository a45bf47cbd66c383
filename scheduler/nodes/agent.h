#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/nodes/node_line.h"
#include "scheduler/nodes/node_times.h"
#include "scheduler/nodes/parcel.h"
#include "scheduler/shared_pool.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// What an agent asks of its node.
class AgentHost {
 public:
  virtual ~AgentHost() = default;
  // Throws DeviceError.
  virtual std::vector<Device> devices_for(const search::Problem& problem) = 0;
  struct Terms {
    bool several = false;        // studies come and go, and these problems are only the first
    std::optional<double> wait;  // seconds for devices that others use; nullopt: not at all
    std::function<void(const std::string& user)> waits;  // told who is waited for
  };
  // Of these devices, which are ours until the pool ends. Throws DeviceError, std::system_error.
  virtual std::unique_ptr<SharedPool> make_pool(const std::vector<Device>& devices,
                                                const std::vector<search::Problem>& problems,
                                                const Terms& terms) = 0;
  // The problem with the paths that its files have on this node. `root` has a copy of each of
  // `files` under the path that it has on the head.
  virtual search::Problem at_home(search::Problem problem, const std::vector<std::string>& files,
                                  const std::string& root) = 0;
};

// The agent of a node: carries out on the node's own pool what the head says line by line, and says
// what became of it. It decides nothing. Its caller reads lines and waits for the pool.
class Agent {
 public:
  struct Parts {
    AgentHost& host;
    const Clock& clock;
    std::string folder;  // absolute, exists: files and artifacts of the head's
    std::function<void(const std::string&)> send;  // one line, with its newline
    NodeTimes times;
  };
  explicit Agent(Parts parts);

  void greet();
  // Throws LineError: the head says what it has no business saying, or is another version. Others
  // say that the node cannot serve: DeviceError, std::system_error and the like.
  void take(std::string_view line);
  void fold(const SharedEvent& event);
  // Starts what waits for its place, and says what may start now.
  void end_turn();
  void refuse(const std::string& reason);

  SharedPool* pool() { return pool_.get(); }  // null before the head has said Begin
  const NodeTimes& times() const { return parts_.times; }
  bool head_is_gone() const;  // silent for too long
  // It measures for the head, which has not dismissed it, and nobody has told it to stop.
  bool is_needed() const { return !studies_.empty() && !stopped_; }
  Clock::TimePoint wake() const;  // when end_turn() has something to say

 private:
  struct Study {
    StudyIndex place = 0;
    std::string artifacts;  // folder
    bool builds = true;
    std::set<DeviceIndex> opened, failed;
    std::set<std::string> sent;  // artifacts that the head has
  };
  struct Given {
    std::uint64_t number = 0, study = 0;
    Job job;
  };

  void on(const node::Hello& hello);
  void on(const node::Beat&) {}
  void on(const node::Piece& piece);
  void on(const node::Survey& survey);
  void on(const node::Begin& begin);
  void on(const node::Admit& admit);
  void on(const node::Dismiss& dismiss);
  void on(const node::Open& open);
  void on(const node::Close& close);
  void on(const node::Builders& builders);
  void on(const node::Start& start);
  void on(const node::Retire& retire);
  void on(const node::Recall& recall);
  void on(const node::Forget& forget);
  void job_ended(std::uint64_t study, const JobEnded& ended);
  void device_failed(std::uint64_t number, const DeviceFailed& failed);
  void lose_what_waits(std::uint64_t number, DeviceIndex device, const std::string& reason);
  void lose(const Given& given, const std::string& reason);  // it was not begun
  static void forget_artifact(Study& its, const std::string& hash);
  void send_artifact(std::uint64_t number, Study& study, const std::string& hash);
  void start_what_waits();
  bool may_start(const Given& given) const;
  void say(const AgentLine& line);
  Study& study(std::uint64_t number);
  DeviceIndex device(std::uint64_t number) const;
  const search::Problem& problem(const std::string& name) const;
  void add_devices(const search::Problem& problem, node::Surveyed& answer);

  Parts parts_;
  bool greeted_ = false;
  bool stopped_ = false;  // a signal came
  ArrivingParcels arriving_;
  std::map<std::string, search::Problem> problems_;
  std::vector<Device> devices_;
  std::vector<search::Problem> surveyed_;  // before Begin
  std::string first_error_;                // why one of them has no device
  std::unique_ptr<SharedPool> pool_;
  std::map<std::uint64_t, Study> studies_;
  std::deque<Given> waiting_;
  std::vector<Given> running_;
  std::uint64_t taken_ = 0;  // the last job
  node::Places said_places_;
  Clock::TimePoint heard_, said_;
};

}  // namespace nightshift::scheduler
