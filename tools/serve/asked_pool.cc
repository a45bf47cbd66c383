#include "tools/serve/asked_pool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "ipc/stop_signals.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kInput = 0, kSignals = 1;  // tokens

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

AskedPool::AskedPool(const search::Problem& problem, std::size_t places, LineChannels& lines)
    : problem_(problem), answers_(problem), lines_(lines), busy_(places, false) {
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
  open_.emplace(id, job);
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
    if (never_waits_) deadline = scheduler::Clock::TimePoint{};
    for (const std::uint64_t token : poller_.wait(deadline)) {
      if (token != kSignals) continue;
      while (const auto signal = poller_.next_signal()) {
        events_.emplace_back(scheduler::Interrupted{++stops_, *signal});
      }
    }
    for (const LineChannels::Line& line : lines_.take()) {
      if (!line.text.empty()) take(line.text);
    }
    if (!lines_.is_standard_open() && !std::exchange(has_ended_, true)) {
      if (!never_waits_) poller_.remove(STDIN_FILENO);
      end_all();
      // At once: nobody is there to measure what a good end would need.
      events_.emplace_back(scheduler::Interrupted{1});
      events_.emplace_back(scheduler::Interrupted{2});
    }
  }
  if (events_.empty()) return scheduler::Nothing{};
  scheduler::PoolEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void AskedPool::take(const std::string& line) {
  const Json answer = Json::parse(line, nullptr, false);
  const auto id = answer.is_object() ? answer.find("id") : answer.end();
  if (!answer.is_object() || id == answer.end() || !id->is_number_unsigned()) {
    return complain(no_answer_words(line));
  }
  if (!open_.contains(*id)) {
    const auto number = id->get<std::uint64_t>();
    return complain(number >= 1 && number <= last_
                        ? fmt::format("id {} has been answered; its first answer counts", number)
                        : fmt::format("nothing with id {} is open", number));
  }
  if (const std::string flaw = answers_.flaw(line); !flaw.empty()) {
    return complain(fmt::format("id {}: {}", id->get<std::uint64_t>(), flaw));
  }
  scheduler::JobEnded done;
  done.report.outcome = answers_.outcome(line);
  end(*id, std::move(done));
}

void AskedPool::end(std::uint64_t id, scheduler::JobEnded done) {
  const auto job = open_.extract(id);
  done.trial = job.mapped().trial;
  done.attempt = job.mapped().attempt;
  done.device = job.mapped().device;
  done.fresh_process = done.fresh_program = true;  // a failure is nobody else's
  busy_[job.mapped().device] = false;
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
  lines_.send(LineChannels::kStandard, Json{{"error", words}}.dump() + "\n");
  lines_.flush(true);
}

}  // namespace nightshift::tools
