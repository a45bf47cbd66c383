// What nodes say, and what becomes of those that are lost.
#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "ipc/messages.h"
#include "scheduler/errors.h"
#include "scheduler/nodes/node_pool.h"
#include "scheduler/pool/pool_signals.h"
#include "scheduler/pool/worker_reply.h"

namespace nightshift::scheduler {
namespace {

std::string survey_parcel(std::size_t problem) {
  return "problem/survey-" + std::to_string(problem);
}

// Its own numbers are checked by read_reply(), as those of a child are.
ipc::EvaluatedReply evaluated(const node::Bytes& bytes) {
  ipc::Record record;
  record.header.kind = static_cast<std::uint32_t>(ipc::MessageKind::kEvaluated);
  record.payload = bytes;
  return std::get<ipc::EvaluatedReply>(read_reply(record, ipc::MessageKind::kEvaluate));
}

ipc::Artifact built(const node::Bytes& bytes) {
  ipc::Record record;
  record.header.kind = static_cast<std::uint32_t>(ipc::MessageKind::kBuilt);
  record.payload = bytes;
  const auto reply = std::get<ipc::BuiltReply>(read_reply(record, ipc::MessageKind::kBuild));
  const auto* artifact = std::get_if<ipc::Artifact>(&reply.result);
  if (artifact == nullptr) throw LineError("a build without an artifact");
  return *artifact;
}

DeviceIndex device_of(const NodeRecord& node, std::uint64_t number) {
  if (number >= node.devices.size()) throw LineError("it has no such device");
  return node.devices[number];
}

std::string given_back(const NodeRecord& node) {
  if (node.jobs.empty()) return "";
  std::string trials;
  for (const auto& [number, given] : node.jobs) {
    trials += (trials.empty() ? " " : ", ") + std::to_string(given.job.trial.value);
  }
  return "; given back, any later answer dropped: trial" + trials;
}

}  // namespace

// What has been said counts before silence does, so that a head that was busy loses nobody.
void NodePool::handle(const NodeLinks::Event& event) {
  if (const auto* line = std::get_if<NodeLinks::Line>(&event)) {
    on_line(line->node, line->text);
  } else if (const auto* closed = std::get_if<NodeLinks::Closed>(&event)) {
    lose(closed->node, closed->why);
  } else if (const auto* signal = std::get_if<PoolEvent>(&event)) {
    const auto* interrupted = std::get_if<Interrupted>(signal);
    if (interrupted != nullptr) {
      stop(*interrupted, false);
    } else {
      events_.push_back({{}, *signal});
    }
  }
  if (next_look_ && parts_.clock.now() < *next_look_) return;
  on_time(std::holds_alternative<NodeLinks::Quiet>(event));
}

void NodePool::on_time(bool quiet) {
  const Clock::TimePoint now = parts_.clock.now();
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const bool is_drained = node.signalled && !stopped_ && now >= drained_at(node);
    if (const auto why = nodes_[n].session.on_time(quiet)) lose(n, *why);
    if (const auto when = away_at(node); when && now >= *when) be_away(n);
    if (is_drained && node.signalled) lose(n, "its agent was sent " + node.signal, true);
  }
  next_look_.reset();
}

void NodePool::on_line(NodeIndex at, const std::string& text) {
  Node& node = nodes_[at];
  try {
    const bool was_ungreeted = node.session.state() == NodeSession::State::kGreeting;
    const auto message = node.session.take(text);
    if (message) {
      std::visit([&](const auto& m) { on(at, m); }, *message);
    } else if (node.session.state() == NodeSession::State::kGone) {
      lose(at, node.session.last_words());
    } else if (was_ungreeted && node.session.state() == NodeSession::State::kSurveying) {
      survey(at);
      node.session.say(begin());
    }
  } catch (const LineError& error) {
    lose(at, std::string("it said what no agent says: ") + error.what());
  } catch (const ipc::DecodeError& error) {
    lose(at, std::string("it said what no agent says: ") + error.what());
  } catch (const DeviceError& error) {
    lose(at, error.what(), true);
  }
}

template <class Message>
void NodePool::on(NodeIndex, const Message&) {}  // the session has taken it

void NodePool::on(NodeIndex at, const node::Places& places) {
  Node& node = nodes_[at];
  if (places.after > node.started) throw LineError("it has taken in a job that nobody gave it");
  const auto taken = node.jobs.find(places.after);
  if (places.after > node.heard_of && taken != node.jobs.end()) {
    constexpr double kWeight = 0.2;
    const double seconds =
        std::chrono::duration<double>(parts_.clock.now() - taken->second.sent).count();
    node.delay += (node.delay == 0 ? 1 : kWeight) * (seconds - node.delay);
  }
  node.heard_of = places.after;
  for (const node::Place& place : places.places) {
    const auto seen = node.seen.find(place.study);
    if (seen == node.seen.end()) continue;
    seen->second = {{place.devices.begin(), place.devices.end()}, place.builds};
    opened_ = opened_ || place.builds || !place.devices.empty();
  }
}

void NodePool::on(NodeIndex at, const node::Piece& piece) {
  (void)nodes_[at].arriving.add(piece);  // taken once the answer that it is for has come
}

void NodePool::on(NodeIndex at, const node::Ended& ended) {
  Node& node = nodes_[at];
  if (node.forgotten.erase(ended.job) > 0) return;
  const auto found = node.jobs.find(ended.job);
  if (found == node.jobs.end()) throw LineError("it answers a job that it was not given");
  const JobInHand& given = found->second;
  ipc::EvaluatedReply reply = evaluated(ended.report);
  JobEnded end;
  end.trial = given.job.trial;
  end.attempt = given.job.attempt;
  if (!given.job.builds()) {
    end.device = given.job.device;
    hosts_[given.job.device].leave(ended.job);
  }
  end.not_begun = !ended.begun;
  end.report = std::move(reply.report);
  end.fresh_process = ended.fresh;
  end.killed_by_others = ended.killed;
  end.fresh_program = ended.fresh_program;
  end.damaged = std::move(reply.damaged);
  if (!end.damaged.empty()) {
    const bool asked = !given.job.builds() && (end.damaged == given.job.evaluation().artifact ||
                                               end.damaged == given.job.evaluation().reference);
    if (!asked) throw LineError("it misses an artifact that it was not to use");
    lose_artifact(given.study, end.damaged, &node);
  }
  if (given.job.builds() && !ended.built.empty()) {
    end.artifact = built(ended.built);
    keep_artifact(node, members_.at(given.study), end.artifact->hash);
  } else if (given.job.builds() && !search::is_failure(end.report.outcome)) {
    throw LineError("a build without an artifact");
  }
  events_.push_back({given.study, std::move(end)});
  node.jobs.erase(found);
  node.session.served();
}

void NodePool::on(NodeIndex at, const node::Failed& failed) {
  const DeviceIndex device = device_of(nodes_[at], failed.device);
  if (members_.contains(failed.study)) fail_device_of(failed.study, device, failed.reason);
}

void NodePool::on(NodeIndex at, const node::Said& said) {
  notice(nodes_[at].session.name() + ": " + said.text);
}

void NodePool::on(NodeIndex at, const node::Stopped& stopped) {
  constexpr std::uint64_t kMost = 64;
  const int signal = stopped.signal <= kMost ? static_cast<int>(stopped.signal) : 0;
  Node& node = nodes_[at];
  if (node.signalled) return;
  node.signalled = parts_.clock.now();
  node.signal = search::signal_name(signal);
  next_look_.reset();
  const bool are_all = std::ranges::all_of(nodes_, [](const Node& n) {
    const NodeSession::State state = n.session.state();
    return n.signalled || state == NodeSession::State::kAway || state == NodeSession::State::kGone;
  });
  if (are_all) return stop({1, signal}, true);
  for (const DeviceIndex device : node.devices) recall(device);
  notice(node.session.name() + ": the agent was sent " + node.signal +
         "; it gets nothing more to do");
}

// A node that does not come back at once may not do so for long: nobody waits for it.
std::optional<Clock::TimePoint> NodePool::away_at(const Node& node) const {
  if (!node.lost || node.away) return std::nullopt;
  return *node.lost + std::chrono::duration_cast<Clock::TimePoint::duration>(parts_.times.silence);
}

void NodePool::be_away(NodeIndex at) {
  Node& node = nodes_[at];
  node.away = true;
  const std::string why = node.session.name() + " is away: " + node.session.last_words();
  for (const DeviceIndex device : node.devices) events_.push_back({{}, DeviceAway{device, why}});
}

Clock::TimePoint NodePool::drained_at(const Node& node) const {
  return *node.signalled +
         std::chrono::duration_cast<Clock::TimePoint::duration>(parts_.times.one_request);
}

// What reaches agents and head is one request, however far apart it arrives.
void NodePool::stop(const Interrupted& interrupted, bool by_agent) {
  const Clock::TimePoint now = parts_.clock.now();
  if (stopped_ && (by_agent || now - *stopped_ < PoolSignals::kSameRequest)) return;
  if (!stopped_) stopped_ = now;
  events_.push_back({{}, interrupted});
}

void NodePool::on(NodeIndex at, const node::Refused& refused) { lose(at, refused.reason); }

// --- Losses ---

// What it may still answer is dropped with its link: who gets the job next answers first.
void NodePool::lose(NodeIndex at, const std::string& why, bool for_good) {
  Node& node = nodes_[at];
  next_look_.reset();
  for_good = std::exchange(node.signalled, std::nullopt).has_value() || for_good;
  if (node.session.state() != NodeSession::State::kGone) node.session.lost(why, for_good);
  for_good = node.session.state() == NodeSession::State::kGone;
  const std::string told = node.session.name() + " is lost: " + why + node.session.why_given_up();
  notice(told + (for_good ? "; it is given up" : "; its link is opened again") + given_back(node));
  for (auto& [number, given] : node.jobs) {
    JobEnded end;
    end.trial = given.job.trial;
    end.attempt = given.job.attempt;
    if (!given.job.builds()) {
      end.device = given.job.device;
      end.not_begun = hosts_[given.job.device].queued == number;
    }
    end.report.outcome = search::DeviceLost{told};
    events_.push_back({given.study, std::move(end)});
  }
  node.jobs.clear();
  node.forgotten.clear();
  node.seen.clear();
  node.last_build.clear();
  node.started = node.heard_of = 0;
  node.arriving = {};
  node.asked = node.answered = 0;
  node.answers.clear();
  node.found.reset();
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (hosts_[d].node != at) continue;
    hosts_[d].last_job = hosts_[d].at_work = hosts_[d].queued = 0;
  }
  if ((for_good || node.lost) && !node.away) be_away(at);
  if (!node.lost) node.lost = parts_.clock.now();
  if (!for_good) return;
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (hosts_[d].node == at) fail_device(d, told);
  }
}

void NodePool::fail_device(DeviceIndex device, const std::string& why) {
  for (const auto& [study, member] : members_) fail_device_of(study, device, why);
}

void NodePool::fail_device_of(StudyIndex study, DeviceIndex device, const std::string& why) {
  if (!members_.at(study).failed.insert(device).second) return;
  events_.push_back({study, DeviceFailed{device, why}});
}

// --- Their devices ---

// Of the problems that it was not asked about yet.
void NodePool::survey(NodeIndex at) {
  Node& node = nodes_[at];
  for (; node.asked < asked_.size(); ++node.asked) {
    const std::string name = survey_parcel(node.asked);
    node.session.send_parcel(name, [&] { return asked_[node.asked].problem; });
    node.session.say(node::Survey{name});
  }
}

void NodePool::on(NodeIndex at, const node::Surveyed& surveyed) {
  Node& node = nodes_[at];
  if (node.answered == node.asked || surveyed.problem != survey_parcel(node.answered) ||
      surveyed.devices.size() != surveyed.made_of.size()) {
    throw LineError("it answers what it was not asked");
  }
  const std::size_t problem = node.answered++;
  opened_ = true;
  if (node.session.ready()) return learn(at, problem, surveyed);
  node.answers.push_back(surveyed);
  serve_if_answered(at);
}

// Until all are gathered nobody reads notices.
void NodePool::on(NodeIndex at, const node::Waiting& waiting) {
  const NodeSession& session = nodes_[at].session;
  if (session.state() != NodeSession::State::kSurveying || !parts_.wait) {
    throw LineError("it waits unasked");
  }
  const std::string text = session.name() + ": waiting: " + waiting.user;
  gathered_ || !parts_.say ? notice(text) : parts_.say(text);
}

void NodePool::on(NodeIndex at, const node::Found& found) {
  Node& node = nodes_[at];
  if (node.session.state() != NodeSession::State::kSurveying || node.found) {
    throw LineError("it names its devices unasked");
  }
  constexpr std::uint64_t kMost = 4096;
  if (found.builders > kMost || found.devices.size() > kMost || found.devices.empty()) {
    throw LineError("its devices are not those that were asked for");
  }
  node.found = found;
  serve_if_answered(at);
}

// What it has for a problem is known as soon as its devices are: a study that begins without one of
// them never has it.
void NodePool::serve_if_answered(NodeIndex at) {
  Node& node = nodes_[at];
  if (!node.found || node.answered < node.asked) return;
  const node::Found found = *std::exchange(node.found, std::nullopt);
  const std::vector<DeviceIndex> before = std::exchange(node.devices, {});  // when it was here last
  node.builders = static_cast<int>(found.builders);
  for (std::uint64_t i = 0; i < found.devices.size(); ++i) {
    node.devices.push_back(bind(at, i, found.devices[i]));
  }
  const auto answers = std::exchange(node.answers, {});
  for (std::size_t p = 0; p < answers.size(); ++p) learn(at, p, answers[p]);
  node.session.found();
  next_look_.reset();
  node.lost.reset();
  const bool was_away = std::exchange(node.away, false);
  const std::string gone = node.session.name() + " has it no more";
  for (const DeviceIndex device : before) {
    if (node.has(device) && was_away) events_.push_back({{}, DeviceBack{device}});
    if (node.has(device)) continue;
    if (!was_away) events_.push_back({{}, DeviceAway{device, gone}});
    fail_device(device, gone);
  }
  for (const auto& [study, member] : members_) {
    const bool is_there =
        std::ranges::any_of(member.open, [&](const auto& o) { return hosts_[o.first].node == at; });
    if (is_there) join(at, study);
  }
}

void NodePool::learn(NodeIndex at, std::size_t problem, const node::Surveyed& answer) {
  AskedRecord& asked = asked_[problem];
  asked.errors.erase(at);
  if (!answer.error.empty()) asked.errors[at] = answer.error;
  for (std::size_t i = 0; i < answer.devices.size(); ++i) {
    const DeviceIndex device = device_of(nodes_[at], answer.devices[i]);
    add_parts(devices_[device], answer.made_of[i]);
    if (std::ranges::find(asked.devices, device) == asked.devices.end()) {
      asked.devices.push_back(device);
    }
  }
}

void NodePool::notice(const std::string& text) {
  events_.push_back(SharedEvent{std::nullopt, PoolEvent(Notice{text})});
}

// A device that another node has is a mistake of whoever wrote the list; the first one keeps it.
DeviceIndex NodePool::bind(NodeIndex at, std::uint64_t number, const Device& device) {
  const auto known = std::ranges::find(devices_, device.key(), &Device::key);
  const auto index = static_cast<DeviceIndex>(known - devices_.begin());
  if (known == devices_.end()) {
    devices_.push_back(device);
    hosts_.push_back({at, number});
    if (gathered_) events_.push_back({{}, DeviceJoined{index}});
    return index;
  }
  if (hosts_[index].node != at) {
    throw DeviceError(device.key() + " is " + nodes_[hosts_[index].node].session.name() +
                      "'s: give one of them a name of its own with `nightshift agent --node NAME`");
  }
  hosts_[index] = {at, number};
  devices_[index].made_of = device.made_of;
  return index;
}

}  // namespace nightshift::scheduler
