#include "tools/serve/night_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "scheduler/clock.h"
#include "search/statistics/summary.h"
#include "tools/batch/report/batch_rows.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using Json = ServiceLedger::Json;

double number_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : std::nan("");
}

std::string text_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? one_line(found->get<std::string>()) : "";
}

// "0.3612 [0.3580, 0.3644]" of the opponent's time.
std::string ratio_text(const Json& answer) {
  const double ratio = number_in(answer, "ratio");
  if (!std::isfinite(ratio)) return "";
  const auto interval = answer.find("interval");
  std::string text = format_number(ratio);
  if (interval != answer.end() && interval->is_array() && interval->size() == 2 &&
      interval->at(0).is_number() && interval->at(1).is_number()) {
    text += " [" + format_number(interval->at(0).get<double>()) + ", " +
            format_number(interval->at(1).get<double>()) + "]";
  }
  return text;
}

std::string name_of_client(const std::string& client) {
  return client.empty() ? "(without a name)" : one_line(client);
}

// What the incumbent is on new data: a ratio, or why it is none after all.
std::string settled_text(const Json& answer) {
  const std::string verdict = text_in(answer, "verdict");
  if (verdict == "faster") return ratio_text(answer);
  const std::string why = verdict == "refused" ? text_in(answer, "status") : ratio_text(answer);
  return verdict + (why.empty() ? "" : ": " + why);
}

Rows night_rows(const ServiceLedger& ledger) {
  Rows rows = {
      {"client", "problem", "confirmed", "kept", "incumbent", "of the first time", "settled"}};
  for (const auto& [whose, night] : ledger.nights()) {
    std::string settled, incumbent;
    if (night.incumbent() > 0) {
      const std::string& id = ledger.proposal(night.incumbent()).id;
      incumbent = one_line(id);
      for (std::uint64_t n = 1; n <= ledger.last(); ++n) {
        const Proposal* p = ledger.known(n);
        const Json* answer = p != nullptr && p->settles ? ledger.answer_to(n) : nullptr;
        if (answer != nullptr && std::pair(p->client, p->problem) == whose) {
          settled = settled_text(*answer);
        }
      }
    }
    rows.push_back({name_of_client(whose.first), whose.second, format_count(night.levels.size()),
                    format_count(night.kept.size()), incumbent,
                    night.kept.empty() ? "" : format_number(night.gains), settled});
  }
  return rows.size() > 1 ? rows : Rows{};
}

Rows kept_rows(const ServiceLedger& ledger, double began) {
  Rows rows = {
      {"candidate", "problem", "client", "asked after", "met", "of its time", "its source"}};
  for (const auto& [whose, night] : ledger.nights()) {
    for (const std::uint64_t number : night.kept) {
      const Json& answer = *ledger.answer_to(number);
      const Proposal& p = ledger.proposal(number);
      rows.push_back(
          {one_line(p.id), p.problem, name_of_client(p.client),
           p.asked > 0 ? format_duration(scheduler::recorded_seconds(began, p.asked)) : "",
           text_in(answer, "opponent"), ratio_text(answer), p.source});
    }
  }
  return rows.size() > 1 ? rows : Rows{};
}

// Verdicts, and refusals by their kind, the most first.
Rows verdict_rows(const ServiceLedger& ledger) {
  struct Kind {
    std::uint64_t count = 0;
    std::string example, reason;
    std::vector<double> seconds;
  };
  std::map<std::string, Kind> kinds;
  for (std::uint64_t n = 1; n <= ledger.last(); ++n) {
    const Proposal* p = ledger.known(n);
    const Json* answer = p != nullptr && !p->settles ? ledger.answer_to(n) : nullptr;
    if (answer == nullptr) continue;
    const std::string verdict = text_in(*answer, "verdict");
    Kind& kind = kinds[verdict == "refused" ? "refused: " + text_in(*answer, "status") : verdict];
    if (kind.count++ == 0) {
      kind.example = one_line(p->id);
      kind.reason = fit(text_in(*answer, "reason"), 80);
    }
    if (p->asked > 0) kind.seconds.push_back(number_in(*answer, "answered") - p->asked);
  }
  std::vector<std::pair<std::string, Kind>> sorted(kinds.begin(), kinds.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& k) { return k.second.count; });
  Rows rows = {{"verdict", "candidates", "answered after", "for example", "why"}};
  for (const auto& [name, kind] : sorted) {
    const double typical = kind.seconds.empty() ? std::nan("") : search::median_of(kind.seconds);
    rows.push_back({name, format_count(kind.count),
                    std::isfinite(typical) ? format_duration(std::max(0.0, typical)) : "",
                    kind.example, kind.reason});
  }
  return rows.size() > 1 ? rows : Rows{};
}

Rows hour_rows(const ServiceLedger& ledger, double began) {
  std::map<long, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> hours;
  for (std::uint64_t n = 1; n <= ledger.last(); ++n) {
    const Proposal* p = ledger.known(n);
    if (p == nullptr || p->settles || p->asked <= 0) continue;
    auto& [asked, refused, kept] =
        hours[std::lround(std::floor(scheduler::recorded_seconds(began, p->asked) / 3600))];
    const Json* answer = ledger.answer_to(n);
    ++asked;
    if (answer == nullptr) continue;
    refused += text_in(*answer, "verdict") == "refused" ? 1 : 0;
    kept += answer->value("kept", false) && !ledger.was_taken_back(n) ? 1 : 0;
  }
  Rows rows = {{"hour", "candidates", "refused", "kept"}};
  for (const auto& [hour, counts] : hours) {
    const auto& [asked, refused, kept] = counts;
    rows.push_back(
        {std::to_string(hour + 1), format_count(asked), format_count(refused), format_count(kept)});
  }
  return rows.size() > 2 ? rows : Rows{};
}

}  // namespace

std::string night_headline(const ServiceLedger& ledger) {
  std::uint64_t kept = 0, candidates = 0;
  for (const auto& [whose, night] : ledger.nights()) kept += night.kept.size();
  for (std::uint64_t n = 1; n <= ledger.last(); ++n) {
    const Proposal* p = ledger.known(n);
    candidates += p != nullptr && !p->settles ? 1 : 0;
  }
  return fmt::format("{}, {} kept", count_of(candidates, "candidate"), kept);
}

std::vector<std::string> night_sentences(const ServiceLedger& ledger, const BatchReport& batch) {
  std::vector<std::string> sentences = {"Batch " + batch.record.name + ": " +
                                        batch_state_text(batch.record, batch.summary, batch.now) +
                                        "."};
  for (std::uint64_t n = 1; n <= ledger.last(); ++n) {
    const Proposal* p = ledger.known(n);
    const Json* answer = p != nullptr && p->settles ? ledger.answer_to(n) : nullptr;
    if (answer == nullptr || text_in(*answer, "verdict") == "faster") continue;
    const std::string taken = text_in(*answer, "took_back");
    sentences.push_back(fmt::format(
        "What was kept of {} for {} does not hold against the problem's own on new data{}: {}",
        p->problem, name_of_client(p->client),
        taken.empty() ? ""
                      : fmt::format("; {} was taken back, and the incumbent is {} again", taken,
                                    text_in(*answer, "incumbent")),
        text_in(*answer, "reason")));
  }
  const std::size_t open = ledger.open().size();
  if (open > 0) sentences.push_back(fmt::format("{} without an answer yet.", open));
  return sentences;
}

std::vector<NightSection> night_sections(const ServiceLedger& ledger, const BatchReport& batch) {
  const double began = batch.record.runs.empty() ? 0 : batch.record.runs.front().started;
  return {{"Nights", night_rows(ledger)},
          {"What was kept", kept_rows(ledger, began)},
          {"What became of candidates", verdict_rows(ledger)},
          {"By the hour", hour_rows(ledger, began)},
          {"Devices", device_rows(batch)},
          {"To be known", notice_rows(batch)}};
}

std::vector<NightProgress> night_progress(const ServiceLedger& ledger, const BatchReport& batch) {
  const double began = batch.record.runs.empty() ? 0 : batch.record.runs.front().started;
  std::vector<NightProgress> all;
  for (const auto& [whose, night] : ledger.nights()) {
    if (night.kept.empty()) continue;
    NightProgress progress;
    progress.name = whose.second + (whose.first.empty() ? "" : " of " + one_line(whose.first));
    progress.steps.push_back({0, 1});
    for (const std::uint64_t number : night.kept) {
      const Json& answer = *ledger.answer_to(number);
      const double ratio = number_in(answer, "ratio"),
                   at = scheduler::recorded_seconds(began, number_in(answer, "answered"));
      if (!std::isfinite(ratio)) continue;
      progress.steps.push_back({at, progress.steps.back().ratio * ratio});
    }
    all.push_back(std::move(progress));
  }
  return all;
}

}  // namespace nightshift::tools
