#include "tools/table/table_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/file_text.h"
#include "base/text.h"
#include "ipc/stop_signals.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "search/scoring.h"
#include "search/table/size_guards.h"
#include "tools/compare/contest.h"
#include "tools/output_file.h"
#include "tools/table/kept/replaced_table.h"
#include "tools/table/kept/table_lock.h"
#include "tools/table/kept/table_store.h"
#include "tools/table/table_identity.h"
#include "tools/table/table_measuring.h"
#include "tools/table/unseen_shapes.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnknown = "nothing is known: ";

// What candidates ask of sizes that nobody measured.
std::vector<search::CandidateGuard> guards(const TableBatch& batch,
                                           std::vector<search::Configuration> candidates) {
  std::vector<search::ConstrainedShape> shapes;
  for (const TableStudy& study : batch.studies) {
    search::ConstrainedShape& shape = shapes.emplace_back();
    shape.sizes = study.shape.sizes;
    for (const search::Expression& c : study.problem.constraints) {
      shape.constraints.push_back(c.text());
    }
  }
  for (search::Configuration& c : candidates) {
    c = search::resolved(batch.studies.front().problem, c);
  }
  return search::guards_of(shapes, candidates);
}

search::TableTerms decision_terms(const TableAsked& asked, const TableBatch& batch,
                                  const std::vector<search::Configuration>& candidates) {
  search::TableTerms terms;
  terms.slack = asked.slack;
  terms.margin = asked.margin;
  terms.most = asked.most;
  terms.k = asked.k;
  const search::AcceptanceSettings settings = search::judging(batch.studies.front().problem);
  terms.level = settings.level / static_cast<double>(asked.kinds);
  terms.rises = settings.rises;
  terms.guards = guards(batch, candidates);
  return terms;
}

RowEvidence evidence_of(const search::TableDecision& decision, std::size_t shape,
                        const TableBatch& batch, const TableMeasuring& measuring) {
  const std::string& missing = measuring.why_unmeasured(shape);
  const std::string& unknown = batch.studies[shape].unknown;
  RowEvidence evidence;
  const search::ShapeVerdict& asked = decision.shapes[shape];
  evidence.study = batch.studies[shape].name;
  evidence.proposed = asked.proposed;
  if (asked.proposed == 0) {
    evidence.reason = missing;
    if (missing.empty() && is_known(batch.studies[shape], measuring.columns()[shape], missing)) {
      evidence.reason = "no candidate gains anything";
    } else if (missing.empty()) {
      evidence.reason = std::string(kUnknown) + unknown;
    }
    return evidence;
  }
  if (!asked.verdict) {
    evidence.reason = "its choice was not measured against the default";
    if (!missing.empty()) evidence.reason += ": " + missing;
    return evidence;
  }
  const std::string kept = search::why_not_chosen(decision, shape);
  evidence.reason =
      kept.empty() ? search::reason_of(asked.verdict->acceptance) : "keeps the default, " + kept;
  evidence.ratio = asked.verdict->ratio;
  evidence.interval = asked.verdict->interval;
  for (const search::DeviceEffect& d : asked.verdict->devices) {
    evidence.pairs += static_cast<std::size_t>(d.pairs);
  }
  return evidence;
}

TableDocument document_of(const TableReport& report, const TableBatch& batch,
                          const TableMeasuring& measuring, const PartsOfTable& parts) {
  const TableAsked& asked = report.asked;
  const search::Problem& problem = batch.studies.front().problem;
  TableDocument d;
  d.problem = problem.name;
  d.problem_file = batch.problem_file;
  d.made = format_date(scheduler::SystemClock{}.unix_seconds());
  d.version = version();
  const search::Objective objective = search::judged_objective(problem);
  d.objective = objective.name;
  d.maximised = objective.direction == search::Direction::kMaximise;
  d.made_of = parts;
  d.default_values = search::baseline_configuration(problem).value_or(search::Configuration());
  d.rule = search::rule_of(report.decision, report.columns, report.candidates);
  for (std::size_t s = 0; s < report.columns.size(); ++s) {
    d.evidence.push_back(evidence_of(report.decision, s, batch, measuring));
    d.rule.rows[s].measured =
        is_known(batch.studies[s], measuring.columns()[s], measuring.why_unmeasured(s));
  }
  d.claim = report.decision.claim;
  for (const search::KeptConfigurations& k : report.decision.curve) {
    d.curve.push_back({k.kept.size(), k.geometric_mean, k.of_best, k.worst, k.beyond_slack});
  }
  d.k = report.decision.k;
  d.depths = report.decision.depths;
  d.depth = report.decision.depth;
  d.leaf_tests = report.decision.leaf_tests.size();
  d.leaf_tests_shown = static_cast<std::size_t>(
      std::ranges::count(report.decision.leaf_tests, true, &search::LeafTest::shown));
  d.slack = asked.slack;
  d.margin = asked.margin;
  d.level = problem.acceptance.level / static_cast<double>(asked.kinds);
  return d;
}

// Measures and decides; the report says what stopped it.
void run(TableMeasuring& measuring, const search::TableTerms& terms, TableReport& report) {
  try {
    report.stopped = !measuring.measure_matrix();
    report.columns = measuring.columns();
    if (!report.stopped) {
      report.decision = search::decided_table(report.columns, terms, measuring);
    }
    report.stopped = measuring.stopped();
  } catch (const scheduler::DeviceError& error) {
    report.device_error = error.what();
  } catch (const scheduler::StoppedEarly&) {
    report.stopped = true;
  }
  report.late = measuring.is_late();
  report.evaluations = measuring.evaluations();
  report.reused = measuring.reused();
  const auto& notices = measuring.notices();
  report.notices.insert(report.notices.end(), notices.begin(), notices.end());
}

// Tells each shape whose study measured no default either. Where nothing is known of any shape, and
// no budget ended that, there is no table.
void tell_unknown(TableReport& report) {
  const auto& rows = report.document.rule.rows;
  for (std::size_t s = 0; s < rows.size(); ++s) {
    const std::string& reason = report.document.evidence[s].reason;
    if (!reason.starts_with(kUnknown)) continue;  // what happened while it was measured is told
    report.notices.push_back(search::text_of(rows[s].sizes) + ": " + reason);
  }
  if (report.late || std::ranges::any_of(rows, &search::TableRow::measured)) return;
  report.unknown = report.document.evidence.front().reason;
  std::error_code ignored;
  if (!fs::exists(report.file, ignored)) return;
  report.notices.push_back(report.file + " stays as it was: nothing is known today");
}

// The rule on shapes that nobody tuned, against the default.
void judge_unseen(const TableAsked& asked, const TableBatch& batch, TableStore& store,
                  TableDevices& devices, TableReport& report) {
  const scheduler::SystemClock clock;
  try {
    const auto made = [&](const search::Sizes& sizes) {
      return with_sizes(batch.studies.front(), sizes, asked.overrides);
    };
    const UnseenShapes shapes(asked.unseen, batch, made, report.document.rule);
    if (!shapes.left_out().empty()) report.notices.push_back(shapes.left_out());
    if (shapes.batch().studies.empty()) return;
    TableMeasuring measuring(shapes.batch(), shapes.candidates(), store, devices,
                             measuring_terms(asked, clock));
    shapes.judge(measuring, report.document);
    report.stopped = measuring.stopped();
    report.evaluations += measuring.evaluations();
    report.notices.insert(report.notices.end(), measuring.notices().begin(),
                          measuring.notices().end());
  } catch (const UsageError& error) {
    report.notices.push_back(std::string("no other sizes were measured: ") + error.what());
  } catch (const scheduler::DeviceError& error) {
    report.device_error = error.what();
  } catch (const scheduler::StoppedEarly&) {
    report.stopped = true;
  }
}

// Of a table that needed no device: those of the one before it.
void take_stored_devices(const std::string& file, TableDocument& document) {
  try {
    TableDocument before = read_table_document(base::text_if_there(file), file);
    document.devices = std::move(before.devices);
    document.kinds = std::move(before.kinds);
  } catch (const UsageError&) {
    // There was none, or none that can be read.
  }
}

// What is known before anything is measured.
TableReport begun_report(const TableAsked& asked, const TableBatch& batch) {
  TableReport report;
  report.asked = asked;
  report.name = batch.name;
  report.folder = batch.folder;
  report.file = table_file(batch.folder, asked.family, asked.kind);
  report.shapes = batch.studies.size();
  report.notices = batch.notices;
  report.candidates = table_candidates(batch, asked.candidates);
  for (const search::Configuration& c : asked.further) {
    const bool is_there = std::ranges::find(report.candidates, c) != report.candidates.end();
    if (!is_there) report.candidates.push_back(c);
  }
  return report;
}

void tell_devices(const TableMeasuring& measuring, TableDocument& document) {
  for (const scheduler::Device& device : measuring.devices()) {
    document.devices.push_back(device.key() + " (" + device.name + ")");
    const std::string kind = device.kind();
    if (std::ranges::find(document.kinds, kind) == document.kinds.end()) {
      document.kinds.push_back(kind);
    }
  }
}

// What is not finished does not take the place of a table that is.
void write_table(TableReport& report) {
  std::error_code ignored;
  if (report.late && !report.document.claim.accepted && fs::exists(report.file, ignored)) {
    report.notices.push_back(report.file + " stays as it was: the budget was used up");
    return;
  }
  const std::string replaced = put_aside_replaced(report.file, report.document);
  if (!replaced.empty()) report.notices.push_back(replaced);
  write_output(report.file, json_text(table_json(report.document)));
}

}  // namespace

TableMeasuringTerms measuring_terms(const TableAsked& asked, const scheduler::Clock& clock) {
  TableMeasuringTerms terms;
  terms.blocks = asked.blocks;
  terms.pairs = asked.pairs;
  terms.hold_out_pairs = asked.hold_out_pairs;
  terms.margin = asked.margin;
  terms.seed = seed_or_drawn(asked.seed);
  if (asked.budget) {
    terms.end = clock.now() + std::chrono::duration_cast<scheduler::Clock::TimePoint::duration>(
                                  std::chrono::duration<double>(*asked.budget));
  }
  return terms;
}

std::string table_file(const std::string& batch_folder, const std::string& family,
                       const std::string& kind) {
  const auto as_name = [](std::string text) {
    for (char& c : text) {
      if (!base::is_letter(c) && !base::is_digit(c) && c != '-' && c != '_' && c != '.') c = '-';
    }
    return text;
  };
  const std::string of_kind = kind.empty() ? "" : "/" + as_name(kind);
  return batch_folder + "/" + as_name(family.empty() ? "table" : "table-" + family) + of_kind +
         "/table.json";
}

TableReport made_table(const TableAsked& asked) {
  const ipc::HeldStopSignals held;  // also between two measurements the report is made
  const scheduler::SystemClock clock;
  const auto began = clock.now();
  TableBatch batch = read_table_batch(asked.batch, asked.family, asked.overrides);
  TableReport report = begun_report(asked, batch);
  const fs::path folder = fs::path(report.file).parent_path();
  std::error_code failed;
  fs::create_directories(folder, failed);
  const TableLock lock(folder.string());
  const std::string measured = (folder / "measured.jsonl").string();
  if (asked.anew) put_aside(measured);
  TableDevices devices = TableDevices::of(asked.devices, batch);
  const PartsOfFiles files = parts_of_files(batch, devices);
  TableStore store(measured, identities_of(batch, files, devices.asked()),
                   earlier_identities_of(batch, files, devices.asked()));
  TableMeasuring measuring(batch, report.candidates, store, devices, measuring_terms(asked, clock));
  run(measuring, decision_terms(asked, batch, report.candidates), report);
  if (held.pending()) report.stopped = true;
  report.seconds = std::chrono::duration<double>(clock.now() - began).count();
  if (report.stopped || !report.device_error.empty()) return report;
  report.document = document_of(report, batch, measuring, joined_parts(batch, files));
  tell_unknown(report);
  if (!report.unknown.empty()) return report;
  tell_devices(measuring, report.document);
  if (report.document.devices.empty()) take_stored_devices(report.file, report.document);
  if (asked.unseen > 0 && !report.late) judge_unseen(asked, batch, store, devices, report);
  if (report.stopped || !report.device_error.empty()) return report;
  write_table(report);
  return report;
}

}  // namespace nightshift::tools
