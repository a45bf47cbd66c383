#include "tools/serve/asked_pool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <variant>

#include "ipc/stop_signals.h"
#include "search/trial.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kInput = 0, kSignals = 1;  // tokens
// Silence that is remarked upon: so long, and so many times the slowest answer.
constexpr std::chrono::seconds kSilence{60};
constexpr int kSilenceTimes = 4;

// Of a line that is no object with an id. Python writes a NaN so.
std::string no_answer_words(const std::string& line) {
  std::string words = "expected a JSON object a line with the id of a configuration";
  if (line.find("NaN") != std::string::npos || line.find("Infinity") != std::string::npos) {
    words +=
        "; NaN and Infinity are no JSON: a configuration without a figure is answered by "
        "{\"id\": .., \"error\": \"why\"}";
  }
  return words;
}

}  // namespace

AskedPool::AskedPool(const search::Problem& problem, std::size_t places, LineChannels& lines,
                     const scheduler::Clock& clock)
    : problem_(problem),
      clock_(clock),
      answers_(problem),
      lines_(lines),
      busy_(places, false),
      heard_(clock.now()) {
  for (std::size_t i = 0; i < places; ++i) {
    devices_.push_back({"elsewhere", "place:" + std::to_string(i), "elsewhere", {}});
  }
  poller_.watch_signals(ipc::stop_signals_not_ignored(), kSignals);
  try {
    poller_.add(STDIN_FILENO, kInput);
  } catch (const std::system_error&) {
    never_waits_ = true;  // a file: all of it is there
  }
}

void AskedPool::start(const scheduler::Job& job) {
  const std::uint64_t id = ++last_;
  busy_[job.device] = true;
  heard_ = clock_.now();
  const double left = job.evaluation().left;
  const auto until = left > 0 ? heard_ + std::chrono::duration_cast<TimePoint::duration>(
                                             std::chrono::duration<double>(std::min(left, 1e9)))
                              : TimePoint::max();
  open_.emplace(id, Asked{job, heard_, until});
  if (has_ended_) return end_all();
  const search::Configuration values = search::resolved(problem_, job.evaluation().configuration);
  lines_.send(LineChannels::kStandard,
              fmt::format("{{\"id\": {}, \"configuration\": {}}}\n", id, values.to_json()));
}

void AskedPool::retire(scheduler::DeviceIndex device, const std::string& reason) {
  (void)reason;
  busy_[device] = true;
}

scheduler::PoolEvent AskedPool::wait(std::optional<scheduler::Clock::TimePoint> deadline) {
  lines_.flush(true);  // by now the journal has what came before
  if (events_.empty()) {
    const TimePoint wake = std::min(next_end(), next_remark());
    if (wake < deadline.value_or(TimePoint::max())) deadline = wake;
    if (never_waits_) deadline = TimePoint{};
    for (const std::uint64_t token : poller_.wait(deadline)) {
      if (token != kSignals) continue;
      while (const auto signal = poller_.next_signal()) {
        events_.emplace_back(scheduler::Interrupted{++stops_, *signal});
      }
    }
    for (const LineChannels::Line& line : lines_.take()) {
      if (!line.text.empty()) take(line.text);
    }
    give_up();
    remark();
    if (!lines_.is_standard_open() && !std::exchange(has_ended_, true)) {
      if (!never_waits_) poller_.remove(STDIN_FILENO);
      end_all();
      // At once: nobody is there to measure what a good end would need.
      using scheduler::Interrupted;
      events_.emplace_back(Interrupted{1, Interrupted::kWhoMeasuresHasEnded});
      events_.emplace_back(Interrupted{2, Interrupted::kWhoMeasuresHasEnded});
    }
  }
  if (events_.empty()) return scheduler::Nothing{};
  scheduler::PoolEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

AskedPool::TimePoint AskedPool::next_end() const {
  TimePoint first = TimePoint::max();
  for (const auto& [id, asked] : open_) first = std::min(first, asked.until);
  return first;
}

AskedPool::TimePoint AskedPool::next_remark() const {
  if (open_.empty()) return TimePoint::max();
  return heard_ +
         std::max<TimePoint::duration>(
             kSilence, std::chrono::duration_cast<TimePoint::duration>(kSilenceTimes * slowest_));
}

void AskedPool::give_up() {
  const TimePoint now = clock_.now();
  for (auto next = open_.begin(); next != open_.end();) {
    const auto one = next++;  // which goes with its end
    if (one->second.until > now) continue;
    scheduler::JobEnded done;
    done.report.outcome =
        search::TimedOut{search::Phase::kMeasure, one->second.job.evaluation().left, false,
                         fmt::format("no answer came for id {}", one->first)};
    end(one->first, std::move(done));
  }
}

void AskedPool::remark() {
  const TimePoint now = clock_.now();
  if (now < next_remark()) return;
  const auto& [id, asked] = *open_.begin();
  const std::string others =
      open_.size() > 1 ? fmt::format(", and of {} more", open_.size() - 1) : "";
  warn(
      {fmt::format("waits for the answer of id {}, asked for {:.0f} s ago{}; what is lost is "
                   "answered by {{\"id\": {}, \"error\": \"why\"}}",
                   id, std::chrono::duration<double>(now - asked.since).count(), others, id)});
  heard_ = now;
}

void AskedPool::take(const std::string& line) {
  const Json answer = Json::parse(line, nullptr, false);
  const auto id = answer.is_object() ? answer.find("id") : answer.end();
  if (!answer.is_object() || id == answer.end() || !id->is_number_unsigned()) {
    return complain(no_answer_words(line));
  }
  if (!open_.contains(*id)) {
    const auto number = id->get<std::uint64_t>();
    return complain(
        number >= 1 && number <= last_
            ? fmt::format("id {} has been answered, or given up; its first answer counts", number)
            : fmt::format("nothing with id {} is open", number));
  }
  auto told = answers_.read(line);
  if (const auto* none = std::get_if<evaluator::ToldAnswers::NoAnswer>(&told)) {
    return complain(
        fmt::format("id {} stays open, answer it anew: {}", id->get<std::uint64_t>(), none->why));
  }
  heard_ = clock_.now();
  slowest_ = std::max<std::chrono::duration<double>>(slowest_, heard_ - open_.at(*id).since);
  scheduler::JobEnded done;
  done.report.outcome = std::get<search::TrialOutcome>(std::move(told));
  end(*id, std::move(done));
}

void AskedPool::end(std::uint64_t id, scheduler::JobEnded done) {
  const scheduler::Job job = open_.extract(id).mapped().job;
  done.trial = job.trial;
  done.attempt = job.attempt;
  done.device = job.device;
  done.fresh_process = done.fresh_program = true;  // a failure is nobody else's
  busy_[job.device] = false;
  events_.emplace_back(std::move(done));
}

void AskedPool::end_all() {
  while (!open_.empty()) {
    scheduler::JobEnded done;
    done.not_begun = true;
    end(open_.begin()->first, std::move(done));
  }
}

void AskedPool::complain(const std::string& words) {
  // Of a long line the words have the end, which may begin within a character.
  const std::string text =
      Json{{"error", words}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  lines_.send(LineChannels::kStandard, text + "\n");
  lines_.flush(true);
}

}  // namespace nightshift::tools
