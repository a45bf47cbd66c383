#include "scheduler/nodes/node_pool.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <variant>

#include "ipc/messages.h"
#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

std::string file_parcel(const std::string& hash) { return "file/" + hash; }
std::string problem_parcel(const std::string& name) { return "problem/" + name; }

node::Bytes encoded(const search::Problem& problem) {
  ipc::ConfigureRequest request;
  request.problem = problem;
  return ipc::encode(request);
}

}  // namespace

NodePool::NodePool(Parts parts) : parts_(std::move(parts)) {
  for (NodeIndex n = 0; n < parts_.links.count(); ++n) {
    nodes_.push_back(Node{NodeSession(parts_.links, n, parts_.clock, parts_.times)});
  }
}

// --- Who is there ---

void NodePool::gather(const std::vector<std::shared_ptr<const search::Problem>>& problems) {
  for (const auto& problem : problems) asked_.push_back({encoded(*problem), {}, {}});
  for (Node& node : nodes_) node.session.open();
  const auto stop = [this] {
    return std::ranges::find_if(
        events_, [](const SharedEvent& e) { return std::holds_alternative<Interrupted>(e.event); });
  };
  std::optional<Clock::TimePoint> late;  // who has not answered then joins later
  while (!all_have_answered() && stop() == events_.end()) {
    const Clock::TimePoint now = parts_.clock.now();
    const auto is_ready = [](const Node& node) { return node.session.ready(); };
    if (!late && std::ranges::any_of(nodes_, is_ready)) {
      late = now + std::chrono::duration_cast<Clock::TimePoint::duration>(parts_.times.silence);
    }
    if (late && now >= *late) break;
    auto until = next_time();
    if (late && (!until || *late < *until)) until = late;
    handle(parts_.links.wait(until));
  }
  tell_late();
  gathered_ = true;
  if (!devices_.empty()) return;
  if (const auto stopped = stop(); stopped != events_.end()) {
    throw StoppedEarly("stopped by " +
                       search::signal_name(std::get<Interrupted>(stopped->event).signal) +
                       " while nodes were waited for; nothing was measured");
  }
  std::string message = "no node has a device for this:";
  for (const Node& node : nodes_) {
    message +=
        "\n  " + node.session.name() + ": " +
        (node.session.last_words().empty() ? "it was not waited for" : node.session.last_words());
  }
  throw DeviceError(message);
}

void NodePool::tell_late() {
  if (devices_.empty()) return;
  for (const Node& node : nodes_) {
    const NodeSession& session = node.session;
    if (session.ready() || session.waits() || !session.last_words().empty()) continue;
    const std::string text =
        session.name() + ": it has not named its devices yet: the run begins without it";
    parts_.say ? parts_.say(text) : notice(text);
  }
}

bool NodePool::all_have_answered() const {
  const bool any_is_ready =
      std::ranges::any_of(nodes_, [](const Node& node) { return node.session.ready(); });
  return std::ranges::all_of(nodes_, [any_is_ready](const Node& node) {
    return node.session.ready() || !node.session.last_words().empty() ||
           (any_is_ready && node.session.waits());
  });
}

std::size_t NodePool::ask(const search::Problem& problem) {
  asked_.push_back({encoded(problem), {}, {}});
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    const NodeSession& session = nodes_[n].session;
    if (session.ready() || session.state() == NodeSession::State::kSurveying) survey(n);
  }
  return asked_.size() - 1;
}

bool NodePool::has_answer(std::size_t problem) const {
  return std::ranges::all_of(nodes_, [problem](const Node& node) {
    return !node.session.ready() || node.answered > problem;
  });
}

std::string NodePool::why_none(std::size_t problem) const {
  std::string text;
  for (const auto& [node, error] : asked_[problem].errors) {
    text += (text.empty() ? "" : "; ") + nodes_[node].session.name() + ": " + error;
  }
  return text;
}

bool NodePool::may_grow() const {
  return std::ranges::any_of(nodes_, [](const Node& node) {
    return !node.session.ready() && node.session.state() != NodeSession::State::kGone;
  });
}

int NodePool::builder_count() const {
  int count = 0;
  for (const Node& node : nodes_) count += node.builders;
  return count;
}

node::Begin NodePool::begin() const {
  using std::chrono::milliseconds;
  node::Begin begin;
  begin.several = parts_.several;
  const auto silence = std::chrono::duration_cast<milliseconds>(parts_.times.silence);
  begin.silence_ms = static_cast<std::uint64_t>(silence.count());
  if (parts_.wait) begin.wait = static_cast<std::uint64_t>(std::max(std::ceil(*parts_.wait), 1.0));
  return begin;
}

// --- Studies ---

StudyIndex NodePool::admit(PoolStudy study) {
  Member member;
  PortableProblem portable = parts_.portable(*study.problem);
  member.problem = encoded(portable.problem);
  member.files = std::move(portable.files);
  member.study = std::move(study);
  member.number = next_study_;
  members_.emplace(next_study_, std::move(member));
  return next_study_++;
}

void NodePool::dismiss(StudyIndex study) {
  for (Node& node : nodes_) {
    if (node.seen.erase(study) == 0) continue;
    node.last_build.erase(study);
    for (auto job = node.jobs.begin(); job != node.jobs.end();) {
      const bool is_its = job->second.study == study;
      if (is_its) node.forgotten.insert(job->first);
      if (is_its && !job->second.job.builds()) hosts_[job->second.job.device].leave(job->first);
      job = is_its ? node.jobs.erase(job) : std::next(job);
    }
    node.session.say(node::Dismiss{study});
  }
  members_.erase(study);
  std::erase_if(events_, [study](const SharedEvent& event) { return event.study == study; });
}

// The study's first device there: with its files.
void NodePool::join(NodeIndex at, StudyIndex study) {
  Node& node = nodes_[at];
  const Member& member = members_.at(study);
  if (node.seen.contains(study)) return;
  node::Admit admit;
  admit.study = study;
  admit.problem = problem_parcel(std::to_string(study));
  admit.hot_spares = static_cast<std::uint64_t>(std::max(member.study.hot_spares, 0));
  admit.builds = member.study.builds;
  node.session.send_parcel(admit.problem, [&] { return member.problem; });
  for (const ProblemFile& file : member.files) {
    node.session.send_parcel(file_parcel(file.hash), [&] { return packed(file.path); });
    admit.files.push_back({file.path, file_parcel(file.hash)});
  }
  node.session.say(admit);
  node.seen[study];
  for (const auto& [device, spares] : member.open) {
    if (node.has(device)) {
      node.session.say(node::Open{study, hosts_[device].number, spares});
    }
  }
  say_builders(at, study);
}

void NodePool::open(StudyIndex study, DeviceIndex device, bool spares) {
  Member& member = members_.at(study);
  Node& node = nodes_[hosts_[device].node];
  const std::string kind = devices_[device].kind();  // of one, machine code serves the other
  if (node.session.state() == NodeSession::State::kGone) {
    return fail_device_of(study, device, node.session.last_words());
  }
  if (node.session.ready() && !node.has(device)) {
    return fail_device_of(study, device, node.session.name() + " has it no more");
  }
  if (member.kind.empty()) member.kind = kind;
  if (member.study.builds && member.kind != kind) {
    return fail_device_of(study, device,
                          "it is of another kind (" + kind + ") than the study's first (" +
                              member.kind +
                              "), whose machine code it may not run: give it a study "
                              "of its own");
  }
  member.open[device] = spares;
  if (!node.session.ready()) return;
  if (node.seen.contains(study)) {
    node.session.say(node::Open{study, hosts_[device].number, spares});
  } else {
    join(hosts_[device].node, study);
  }
}

void NodePool::close(StudyIndex study, DeviceIndex device) {
  Member& member = members_.at(study);
  Node& node = nodes_[hosts_[device].node];
  if (member.open.erase(device) == 0 || !node.seen.contains(study)) return;
  node.seen[study].devices.erase(hosts_[device].number);
  node.session.say(node::Close{study, hosts_[device].number});
}

void NodePool::set_builders(StudyIndex study, int count) {
  members_.at(study).builders = count;
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].seen.contains(study)) say_builders(n, study);
  }
}

// In proportion to what each node has.
void NodePool::say_builders(NodeIndex at, StudyIndex study) {
  const int all = std::max(builder_count(), 1), here = nodes_[at].builders;
  const int count = (members_.at(study).builders * here + all - 1) / all;
  nodes_[at].session.say(
      node::Builders{study, static_cast<std::uint64_t>(std::clamp(count, 0, here))});
}

// --- What may start ---

bool NodePool::is_in_use(StudyIndex study, DeviceIndex device) const {
  const Member& member = members_.at(study);
  return nodes_[hosts_[device].node].serves() && member.open.contains(device) &&
         !member.failed.contains(device);
}

bool NodePool::can_measure(StudyIndex study, DeviceIndex device) const {
  const HostRecord& host = hosts_[device];
  const Node& node = nodes_[host.node];
  if (!is_in_use(study, device) || host.last_job > node.heard_of) return false;
  const auto seen = node.seen.find(study);
  return seen != node.seen.end() && seen->second.devices.contains(host.number);
}

std::optional<NodeIndex> NodePool::builder_of(StudyIndex study) const {
  std::optional<NodeIndex> best;
  double least = 0;
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const auto seen = node.seen.find(study);
    if (!node.serves() || seen == node.seen.end() || !seen->second.builds) continue;
    const auto last = node.last_build.find(study);
    if (last != node.last_build.end() && last->second > node.heard_of) continue;
    const auto builds =
        std::ranges::count_if(node.jobs, [](const auto& job) { return job.second.job.builds(); });
    const double load = static_cast<double>(builds) / std::max(node.builders, 1);
    if (!best || load < least) {
      best = n;
      least = load;
    }
  }
  return best;
}

bool NodePool::is_measuring(StudyIndex study, DeviceIndex device) const {
  return std::ranges::any_of(nodes_[hosts_[device].node].jobs, [&](const auto& job) {
    return job.second.study == study && !job.second.job.builds() && job.second.job.device == device;
  });
}

// Where another study has the device too, it goes to whoever asks first once it is free.
bool NodePool::can_queue(StudyIndex study, DeviceIndex device) const {
  const HostRecord& host = hosts_[device];
  if (host.at_work == 0 || host.queued != 0 || !is_in_use(study, device)) return false;
  const auto& jobs = nodes_[host.node].jobs;
  const auto at_work = jobs.find(host.at_work);
  return at_work != jobs.end() && at_work->second.study == study &&
         std::ranges::count_if(
             members_, [device](const auto& m) { return m.second.open.contains(device); }) == 1;
}

void NodePool::recall(StudyIndex study, DeviceIndex device) {
  const HostRecord& host = hosts_[device];
  if (host.queued != 0 && nodes_[host.node].jobs.at(host.queued).study == study) recall(device);
}

void NodePool::recall(DeviceIndex device) {
  HostRecord& host = hosts_[device];
  if (host.queued == 0 || std::exchange(host.recalled, true)) return;
  nodes_[host.node].session.say(node::Recall{host.queued});
}

void NodePool::start(StudyIndex study, const Job& job) {
  const bool free = job.builds() ? can_build(study)
                                 : can_measure(study, job.device) || can_queue(study, job.device);
  if (!free) std::abort();  // the caller's promise
  Member& member = members_.at(study);
  const NodeIndex at = job.builds() ? *builder_of(study) : hosts_[job.device].node;
  Node& node = nodes_[at];
  if (!job.builds()) {
    const std::string lost = missing_artifact(node, member, job);
    if (!lost.empty()) return end_without(study, job, lost);
  }
  node::Start line;
  line.job = ++node.started;
  line.study = study;
  line.trial = job.trial.value;
  line.attempt = job.attempt;
  line.fresh = job.fresh_process;
  line.builds = job.builds();
  if (job.builds()) {
    node.last_build[study] = line.job;
    line.request = ipc::encode(job.build());
  } else {
    HostRecord& host = hosts_[job.device];
    host.last_job = line.job;
    (host.at_work == 0 ? host.at_work : host.queued) = line.job;
    host.recalled = false;
    line.device = host.number;
    send_artifact(node, member, job.evaluation().artifact);
    send_artifact(node, member, job.evaluation().reference);
    line.request = ipc::encode(job.evaluation());
  }
  node.jobs[line.job] = {study, job, parts_.clock.now()};
  node.session.say(line);
}

void NodePool::retire(StudyIndex study, DeviceIndex device, const std::string& reason) {
  Member& member = members_.at(study);
  Node& node = nodes_[hosts_[device].node];
  const bool was_in_service = member.failed.insert(device).second;
  if (was_in_service && node.seen.contains(study)) {
    node.session.say(node::Retire{study, hosts_[device].number, reason});
  }
}

// --- What nodes say ---

SharedEvent NodePool::wait(std::optional<Clock::TimePoint> deadline) {
  opened_ = false;
  while (events_.empty() && !opened_) {
    auto until = next_time();
    if (deadline && (!until || *deadline < *until)) until = deadline;
    handle(parts_.links.wait(until));
    if (deadline && parts_.clock.now() >= *deadline) break;
  }
  if (events_.empty()) return {{}, Nothing{}};
  SharedEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::optional<Clock::TimePoint> NodePool::next_time() {
  if (next_look_) return next_look_;
  for (const Node& node : nodes_) {
    const auto consider = [&](std::optional<Clock::TimePoint> time) {
      if (time && (!next_look_ || *time < *next_look_)) next_look_ = time;
    };
    consider(node.session.next_time());
    if (node.signalled && !stopped_) consider(drained_at(node));
    consider(away_at(node));
  }
  return next_look_;
}

}  // namespace nightshift::scheduler
