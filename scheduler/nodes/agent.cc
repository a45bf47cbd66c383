#include "scheduler/nodes/agent.h"

#include <algorithm>
#include <filesystem>
#include <variant>

#include "ipc/messages.h"
#include "scheduler/errors.h"
#include "scheduler/pool/worker_reply.h"
#include "search/telling_line.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;

// "KIND/NAME" or "KIND/STUDY/NAME", each part without a way out of a folder.
std::vector<std::string> parts_of(const std::string& parcel) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= parcel.size()) {
    const std::size_t end = std::min(parcel.find('/', begin), parcel.size());
    parts.push_back(parcel.substr(begin, end - begin));
    if (!is_file_name(parts.back())) throw LineError("no parcel is called \"" + parcel + "\"");
    begin = end + 1;
  }
  return parts;
}

constexpr std::uintmax_t kLeastSpace = std::uintmax_t{4} << 20;  // bytes, for copies and builds

// Why nothing can be trusted that fails here; empty where there is space. A disk that was full may
// have some again once the compiler has removed what it could not write.
std::string why_no_space(const std::string& folder, const search::TrialOutcome* failure) {
  std::error_code unknown;
  const std::uintmax_t left = fs::space(folder, unknown).available;
  const bool is_told = failure != nullptr && search::tells_of_full_disk(search::describe(*failure));
  if (!is_told && (unknown || left >= kLeastSpace)) return "";
  return "no space is left for builds in " + folder + ": TMPDIR may name another folder";
}

template <class Message>
Message decoded(const node::Bytes& bytes) {
  try {
    return ipc::decode<Message>(bytes);
  } catch (const ipc::DecodeError& error) {
    throw LineError(error.what());
  }
}

}  // namespace

Agent::Agent(Parts parts)
    : parts_(std::move(parts)), heard_(parts_.clock.now()), said_(parts_.clock.now()) {}

void Agent::say(const AgentLine& line) {
  said_ = parts_.clock.now();
  parts_.send(line_of(line));
}

void Agent::greet() { say(own_hello()); }
void Agent::refuse(const std::string& reason) { say(node::Refused{reason}); }

void Agent::take(std::string_view line) {
  const HeadLine message = head_line(line);
  heard_ = parts_.clock.now();
  if (!greeted_ && !std::holds_alternative<node::Hello>(message)) {
    throw LineError("the first line is no greeting");
  }
  std::visit([this](const auto& m) { on(m); }, message);
}

bool Agent::head_is_gone() const { return parts_.clock.now() - heard_ >= 2 * parts_.times.silence; }

Clock::TimePoint Agent::wake() const {
  const auto third =
      std::chrono::duration_cast<Clock::TimePoint::duration>(parts_.times.silence / 3);
  return said_ + third;
}

// --- What the head says ---

void Agent::on(const node::Hello& hello) {
  const std::string why = why_not_together(own_hello(), hello, "the head");
  if (!why.empty()) throw LineError(why);
  greeted_ = true;
}

void Agent::on(const node::Piece& piece) {
  if (!arriving_.add(piece)) return;
  const node::Bytes bytes = arriving_.take(piece.parcel);
  const std::vector<std::string> parts = parts_of(piece.parcel);
  if (parts.size() == 2 && parts[0] == "problem") {
    problems_[piece.parcel] = decoded<ipc::ConfigureRequest>(bytes).problem;
  } else if (parts.size() == 2 && parts[0] == "file") {
    unpack(bytes, parts_.folder + "/parcels/" + parts[1]);
  } else if (parts.size() == 3 && parts[0] == "artifact") {
    const auto owner = std::ranges::find_if(
        studies_, [&](const auto& entry) { return std::to_string(entry.first) == parts[1]; });
    if (owner == studies_.end()) throw LineError("an artifact of a study that is not there");
    unpack(bytes, owner->second.artifacts + "/" + parts[2]);
    owner->second.sent.insert(parts[2]);
  } else {
    throw LineError("no parcel is called \"" + piece.parcel + "\"");
  }
}

const search::Problem& Agent::problem(const std::string& name) const {
  const auto found = problems_.find(name);
  if (found == problems_.end()) throw LineError("the problem has not come");
  return found->second;
}

void Agent::on(const node::Survey& survey) {
  const search::Problem& asked = problem(survey.problem);
  node::Surveyed answer;
  answer.problem = survey.problem;
  try {
    add_devices(asked, answer);
  } catch (const DeviceError& why) {
    answer.error = why.what();
  }
  if (!pool_) {
    surveyed_.push_back(asked);
    if (first_error_.empty()) first_error_ = answer.error;
  }
  say(answer);
}

// The pool has the devices that it began with.
void Agent::add_devices(const search::Problem& problem, node::Surveyed& answer) {
  for (const Device& device : parts_.host.devices_for(problem)) {
    const auto known = std::ranges::find(devices_, device.uuid, &Device::uuid);
    const auto index = static_cast<std::uint64_t>(known - devices_.begin());
    if (known == devices_.end() && pool_) continue;
    if (known == devices_.end()) {
      devices_.push_back(device);
    } else {
      add_parts(*known, device.made_of);
    }
    answer.devices.push_back(index);
    answer.made_of.push_back(device.made_of);
  }
  if (answer.devices.empty()) throw DeviceError("this run has none of its devices for it");
}

void Agent::on(const node::Begin& begin) {
  if (pool_) throw LineError("it has begun already");
  if (devices_.empty()) {
    throw DeviceError(first_error_.empty() ? "nothing was asked for" : first_error_);
  }
  if (begin.silence_ms == 0) throw LineError("a silence that is always too long");
  parts_.times.silence = std::chrono::milliseconds(begin.silence_ms);
  AgentHost::Terms terms{
      begin.several, {}, [this](const std::string& user) { say(node::Waiting{user}); }};
  if (begin.wait > 0) terms.wait = static_cast<double>(begin.wait);
  pool_ = parts_.host.make_pool(devices_, surveyed_, terms);
  say(node::Found{static_cast<std::uint64_t>(std::max(pool_->builder_count(), 0)), devices_});
}

void Agent::on(const node::Admit& admit) {
  if (!pool_ || studies_.contains(admit.study)) throw LineError("no study can be admitted now");
  if (const std::string why = why_no_space(parts_.folder, nullptr); !why.empty()) {
    throw DeviceError(why);
  }
  const std::string folder = parts_.folder + "/studies/" + std::to_string(admit.study);
  const std::string root = folder + "/files";
  std::vector<std::string> files;
  for (const node::File& file : admit.files) {
    const std::vector<std::string> parts = parts_of(file.parcel);
    const fs::path path(file.path);
    const bool leaves = std::ranges::find(path, fs::path("..")) != path.end();
    if (parts.size() != 2 || !path.is_absolute() || leaves) throw LineError("no file of a problem");
    const fs::path copy = root + path.string();
    fs::create_directories(copy.parent_path());
    fs::copy(parts_.folder + "/parcels/" + parts[1], copy,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    files.push_back(file.path);
  }
  Study study;
  study.artifacts = folder + "/artifacts";
  study.builds = admit.builds;
  fs::create_directories(study.artifacts);
  auto home = std::make_shared<const search::Problem>(
      parts_.host.at_home(problem(admit.problem), files, root));
  study.place = pool_->admit(
      {std::move(home), study.artifacts, static_cast<int>(admit.hot_spares), admit.builds});
  studies_.emplace(admit.study, std::move(study));
}

void Agent::on(const node::Dismiss& dismiss) {
  pool_->dismiss(study(dismiss.study).place);
  studies_.erase(dismiss.study);
  const auto is_its = [&](const Given& given) { return given.study == dismiss.study; };
  std::erase_if(waiting_, is_its);
  std::erase_if(running_, is_its);
  fs::remove_all(parts_.folder + "/studies/" + std::to_string(dismiss.study));
}

void Agent::on(const node::Open& open) {
  Study& its = study(open.study);
  pool_->open(its.place, device(open.device), open.spares);
  its.opened.insert(open.device);
}

void Agent::on(const node::Close& close) {
  Study& its = study(close.study);
  const DeviceIndex where = device(close.device);
  const auto is_there = [&](const Given& given) {
    return given.study == close.study && !given.job.builds() && given.job.device == where;
  };
  if (std::ranges::any_of(waiting_, is_there) || std::ranges::any_of(running_, is_there)) {
    throw LineError("a device is closed with a job in hand");
  }
  pool_->close(its.place, where);
  its.opened.erase(where);
}

void Agent::on(const node::Builders& builders) {
  constexpr std::uint64_t kMost = 4096;
  pool_->set_builders(study(builders.study).place,
                      static_cast<int>(std::min(builders.count, kMost)));
}

void Agent::on(const node::Start& start) {
  if (start.job <= taken_) throw LineError("a job comes twice");
  taken_ = start.job;
  Study& its = study(start.study);
  Given given{start.job, start.study, {}};
  given.job.trial = search::TrialId{start.trial};
  given.job.attempt = static_cast<std::uint32_t>(start.attempt);
  given.job.fresh_process = start.fresh;
  if (start.builds) {
    given.job.request = decoded<ipc::BuildRequest>(start.request);
  } else {
    given.job.device = device(start.device);
    auto request = decoded<ipc::EvaluateRequest>(start.request);
    for (const std::string* name : {&request.artifact, &request.reference}) {
      if (!name->empty() && !is_file_name(*name)) throw LineError("an artifact without a hash");
    }
    given.job.request = std::move(request);
    if (its.failed.contains(given.job.device)) {
      return lose(given, "the device has left the study");
    }
    if (!its.opened.contains(given.job.device)) throw LineError("the device is not open");
  }
  waiting_.push_back(std::move(given));
}

void Agent::on(const node::Retire& retire) {
  Study& its = study(retire.study);
  const DeviceIndex where = device(retire.device);
  if (!its.failed.insert(where).second) return;
  pool_->retire(its.place, where, retire.reason);
  lose_what_waits(retire.study, where, retire.reason);
}

void Agent::on(const node::Recall& recall) {
  const auto given = std::ranges::find(waiting_, recall.job, &Given::number);
  if (given == waiting_.end()) return;
  lose(*given, "it was recalled");
  waiting_.erase(given);
}

Agent::Study& Agent::study(std::uint64_t number) {
  const auto found = studies_.find(number);
  if (!pool_ || found == studies_.end()) throw LineError("no such study");
  return found->second;
}

DeviceIndex Agent::device(std::uint64_t number) const {
  if (number >= devices_.size()) throw LineError("no such device");
  return number;
}

// --- What the pool says ---

void Agent::fold(const SharedEvent& event) {
  if (const auto* notice = std::get_if<Notice>(&event.event)) say(node::Said{notice->text});
  if (const auto* stop = std::get_if<Interrupted>(&event.event)) {
    stopped_ = true;
    say(node::Stopped{static_cast<std::uint64_t>(std::max(stop->signal, 0))});
  }
  if (!event.study) return;
  const auto of = std::ranges::find_if(
      studies_, [&](const auto& entry) { return entry.second.place == *event.study; });
  if (of == studies_.end()) return;
  if (const auto* ended = std::get_if<JobEnded>(&event.event)) job_ended(of->first, *ended);
  if (const auto* failed = std::get_if<DeviceFailed>(&event.event)) {
    device_failed(of->first, *failed);
  }
}

void Agent::job_ended(std::uint64_t number, const JobEnded& ended) {
  const auto given = std::ranges::find_if(running_, [&](const Given& g) {
    return g.study == number && g.job.trial == ended.trial && g.job.attempt == ended.attempt &&
           g.job.builds() == ended.was_build();
  });
  if (given == running_.end()) return;
  if (search::is_failure(ended.report.outcome)) {
    const std::string why = why_no_space(parts_.folder, &ended.report.outcome);
    if (!why.empty()) throw DeviceError(why);
  }
  node::Ended line;
  line.job = given->number;
  running_.erase(given);
  ipc::EvaluatedReply reply;
  reply.report = ended.report;
  reply.damaged = ended.damaged;
  if (!ended.damaged.empty()) forget_artifact(study(number), ended.damaged);
  line.report = ipc::encode(reply);
  if (ended.artifact) {
    send_artifact(number, study(number), ended.artifact->hash);
    line.built = ipc::encode(ipc::BuiltReply{*ended.artifact, ended.report.cost.build});
  }
  line.fresh = ended.fresh_process;
  line.killed = ended.killed_by_others;
  line.fresh_program = ended.fresh_program;
  say(line);
}

void Agent::device_failed(std::uint64_t number, const DeviceFailed& failed) {
  study(number).failed.insert(failed.device);
  lose_what_waits(number, failed.device, failed.reason);
  say(node::Failed{number, failed.device, failed.reason});
}

void Agent::lose_what_waits(std::uint64_t number, DeviceIndex device, const std::string& reason) {
  const bool none_left = study(number).failed.size() == devices_.size();
  std::erase_if(waiting_, [&](const Given& given) {
    const bool is_there = given.job.builds() ? none_left : given.job.device == device;
    if (given.study != number || !is_there) return false;
    lose(given, reason);
    return true;
  });
}

void Agent::lose(const Given& given, const std::string& reason) {
  ipc::EvaluatedReply reply;
  reply.report.outcome = search::DeviceLost{reason};
  say(node::Ended{given.number, ipc::encode(reply), {}, false, false, false, false});
}

// --- What may start ---

bool Agent::may_start(const Given& given) const {
  const StudyIndex place = studies_.at(given.study).place;
  return given.job.builds() ? pool_->can_build(place) : pool_->can_measure(place, given.job.device);
}

void Agent::start_what_waits() {
  for (std::size_t i = 0; i < waiting_.size();) {
    if (!may_start(waiting_[i])) {
      ++i;
      continue;
    }
    Given given = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    pool_->start(studies_.at(given.study).place, given.job);
    running_.push_back(std::move(given));
  }
}

void Agent::end_turn() {
  if (pool_) {
    start_what_waits();
    node::Places places{taken_, {}};
    for (const auto& [number, its] : studies_) {
      node::Place place{number, {}, its.builds && pool_->can_build(its.place)};
      for (const DeviceIndex d : its.opened) {
        const bool is_free = !its.failed.contains(d) && pool_->can_measure(its.place, d);
        const auto waits = [&](const Given& g) { return !g.job.builds() && g.job.device == d; };
        if (is_free && std::ranges::none_of(waiting_, waits)) place.devices.push_back(d);
      }
      places.places.push_back(std::move(place));
    }
    if (places.after != said_places_.after || places.places != said_places_.places) {
      say(places);
      said_places_ = std::move(places);
    }
  }
  if (parts_.clock.now() >= wake()) say(node::Beat{});
}

}  // namespace nightshift::scheduler
