#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/nodes/node_links.h"
#include "scheduler/nodes/node_pool_parts.h"
#include "scheduler/nodes/node_records.h"
#include "scheduler/shared_pool.h"

namespace nightshift::scheduler {

// The devices of several nodes as one pool. Nothing runs here: each node's agent (agent.h) has a
// pool of its own, and this one mirrors what may start there.
//
//   files      what a problem is made of goes to a node when a study opens its first device there
//   artifacts  are built on a node that measures for the study, come to the study's folder, and go
//              from there to each other node that needs them, once
//   places     a node says what may start there and which job it had taken in then; what it said
//              before it knew of the last job on a device does not count for that device
//   far node   has the next job of a device before the one in hand has ended, where its study wants
//              that; one that was not begun comes back when it is recalled, or its node is lost
//   lost node  each job in hand ends as DeviceLost, which the runner's rules repeat; the link is
//              opened again, and the same devices serve on. Where that fails the first time, or
//              takes as long as a silence may, they are away. Once the node is given up they have
//              failed. What a lost node may still answer nobody hears: its link is gone
//   stopped    an agent that was sent a stop signal gets nothing more to do. Where all are, it is
//              the run that is to stop: some batch systems signal all that there is of a job, and
//              reach the agents long before the head. Where others are not, soon after, the node
//              is given up
//   kinds      artifacts of a study serve one kind of device: one of another kind leaves the study
class NodePool final : public SharedPool {
 public:
  using Parts = NodePoolParts;
  explicit NodePool(Parts parts);

  // Opens all links and waits until each node has named the devices that it has for these problems,
  // or has failed once, or waits for devices where another has some. Nodes that come later join.
  // Throws DeviceError where no device is there.
  void gather(const std::vector<std::shared_ptr<const search::Problem>>& problems);
  // One more problem, in mid-run. Returns its number; those of gather() count from 0.
  std::size_t ask(const search::Problem& problem);
  // Each node that serves now has said what it has for the problem.
  bool has_answer(std::size_t problem) const;
  // As far as nodes have said so.
  const std::vector<DeviceIndex>& devices_of(std::size_t problem) const {
    return asked_[problem].devices;
  }
  // It can be opened now: its node serves, and has it.
  bool is_there(DeviceIndex device) const {
    return nodes_[hosts_[device].node].serves() && nodes_[hosts_[device].node].has(device);
  }
  // Why nodes have none for it, as a list; empty where none has said so.
  std::string why_none(std::size_t problem) const;

  // Gives notice of something else.
  void notice(const std::string& text);

  const std::vector<Device>& devices() const override { return devices_; }
  bool may_grow() const override;
  int builder_count() const override;
  bool builds_without_device() const override { return false; }  // on nodes that measure for it
  StudyIndex admit(PoolStudy study) override;
  void dismiss(StudyIndex study) override;
  void open(StudyIndex study, DeviceIndex device, bool spares) override;
  void close(StudyIndex study, DeviceIndex device) override;
  void set_builders(StudyIndex study, int count) override;
  bool can_measure(StudyIndex study, DeviceIndex device) const override;
  bool can_build(StudyIndex study) const override { return builder_of(study).has_value(); }
  double delay(DeviceIndex device) const override { return nodes_[hosts_[device].node].delay; }
  bool can_queue(StudyIndex study, DeviceIndex device) const override;
  void recall(StudyIndex study, DeviceIndex device) override;
  bool is_measuring(StudyIndex study, DeviceIndex device) const override;
  void start(StudyIndex study, const Job& job) override;
  void retire(StudyIndex study, DeviceIndex device, const std::string& reason) override;
  SharedEvent wait(std::optional<Clock::TimePoint> deadline) override;

 private:
  using Node = NodeRecord;
  using Member = MemberRecord;

  void handle(const NodeLinks::Event& event);
  void on_time(bool quiet);
  void on_line(NodeIndex at, const std::string& text);
  void on(NodeIndex at, const node::Surveyed& surveyed);
  void on(NodeIndex at, const node::Waiting& waiting);
  void on(NodeIndex at, const node::Found& found);
  void on(NodeIndex at, const node::Places& places);
  void on(NodeIndex at, const node::Ended& ended);
  void on(NodeIndex at, const node::Failed& failed);
  void on(NodeIndex at, const node::Said& said);
  void on(NodeIndex at, const node::Stopped& stopped);
  void on(NodeIndex at, const node::Piece& piece);
  void on(NodeIndex at, const node::Refused& refused);
  template <class Message>
  void on(NodeIndex, const Message&);
  void survey(NodeIndex at);
  node::Begin begin() const;
  void serve_if_answered(NodeIndex at);
  void learn(NodeIndex at, std::size_t problem, const node::Surveyed& answer);
  void lose(NodeIndex at, const std::string& why, bool for_good = false);
  Clock::TimePoint drained_at(const Node& node) const;
  std::optional<Clock::TimePoint> away_at(const Node& node) const;
  void be_away(NodeIndex at);
  void stop(const Interrupted& interrupted, bool by_agent);
  bool is_in_use(StudyIndex study, DeviceIndex device) const;
  void recall(DeviceIndex device);
  void fail_device(DeviceIndex device, const std::string& why);
  void fail_device_of(StudyIndex study, DeviceIndex device, const std::string& why);
  DeviceIndex bind(NodeIndex at, std::uint64_t number, const Device& device);
  void join(NodeIndex at, StudyIndex study);
  void say_builders(NodeIndex at, StudyIndex study);
  void keep_artifact(Node& node, const Member& member, const std::string& hash);
  void send_artifact(Node& node, const Member& member, const std::string& hash);
  static std::string missing_artifact(const Node& node, const Member& member, const Job& job);
  void end_without(StudyIndex study, const Job& job, const std::string& artifact);
  void lose_artifact(StudyIndex study, const std::string& hash, Node* damaged_at);
  std::optional<NodeIndex> builder_of(StudyIndex study) const;
  bool all_have_answered() const;
  void tell_late();
  std::optional<Clock::TimePoint> next_time();

  Parts parts_;
  std::vector<Node> nodes_;
  std::vector<Device> devices_;
  std::vector<HostRecord> hosts_;   // by device
  std::vector<AskedRecord> asked_;  // by problem
  std::map<StudyIndex, Member> members_;
  StudyIndex next_study_ = 0;
  std::deque<SharedEvent> events_;
  std::optional<Clock::TimePoint> stopped_;  // when the first stop signal was heard of
  // No session has something to do before: what is said and heard only puts that off, and a loss
  // makes it unknown.
  std::optional<Clock::TimePoint> next_look_;
  bool gathered_ = false;
  bool opened_ = false;  // something may start that might not before
};

}  // namespace nightshift::scheduler
