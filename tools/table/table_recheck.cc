#include "tools/table/table_recheck.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "base/file_text.h"
#include "ipc/stop_signals.h"
#include "scheduler/errors.h"
#include "search/acceptance.h"
#include "tools/table/table_identity.h"
#include "tools/table/table_kinds.h"
#include "tools/temporary_folder.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

TableDocument table_of(const TableBatch& batch, const TableAsked& asked, TableRecheck& recheck) {
  recheck.name = batch.name;
  recheck.file = table_file(batch.folder, asked.family, asked.kind);
  recheck.command = "nightshift table " + shell_word(asked.batch);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(recheck.file, ignored)) {
    throw UsageError(asked.batch + " has no table yet; `nightshift table " + asked.batch +
                     "` makes one");
  }
  TableDocument document = read_table_document(base::read_whole_file(recheck.file), recheck.file);
  recheck.made = document.made;
  return document;
}

RowState state_of(const search::Verdict& verdict) {
  if (search::is_accepted(verdict)) return RowState::kHolds;
  return verdict.interval.low > 1 ? RowState::kWorse : RowState::kUndecided;
}

void take_verdict(const search::Verdict& verdict, RecheckedRow& row) {
  row.state = state_of(verdict);
  row.ratio = verdict.ratio;
  row.interval = verdict.interval;
  row.reason = search::reason_of(verdict.acceptance);
  for (const search::DeviceEffect& device : verdict.devices) {
    row.pairs += static_cast<std::size_t>(device.pairs);
  }
}

// Rows that can be asked, each a study of a batch of its own.
struct AskedRows {
  TableBatch batch;
  std::vector<std::size_t> rows;     // among those of the recheck
  std::vector<std::size_t> choices;  // of the table
};

AskedRows rows_of(const TableDocument& document, const TableBatch& batch, TableRecheck& recheck) {
  AskedRows asked;
  asked.batch = batch;
  asked.batch.studies.clear();
  for (std::size_t r = 0; r < document.rule.rows.size(); ++r) {
    const search::TableRow& row = document.rule.rows[r];
    if (row.choice == 0) continue;
    RecheckedRow& own = recheck.rows.emplace_back();
    own.sizes = row.sizes;
    own.configuration = document.rule.configurations[row.choice];
    own.before = document.evidence[r].ratio;
    const auto study = std::ranges::find_if(batch.studies, [&](const TableStudy& one) {
      search::Sizes sizes = one.shape.sizes, asked_for = row.sizes;
      std::ranges::sort(sizes);
      std::ranges::sort(asked_for);
      return sizes == asked_for;
    });
    if (study == batch.studies.end()) {
      own.state = RowState::kBroken;
      own.reason = "the batch has no study of this shape any more";
      continue;
    }
    asked.batch.studies.push_back(*study);
    asked.rows.push_back(recheck.rows.size() - 1);
    asked.choices.push_back(row.choice);
  }
  return asked;
}

void ask(const AskedRows& asked, TableMeasuring& measuring, TableRecheck& recheck) {
  std::size_t shown = 0;
  for (std::size_t s = 0; s < asked.rows.size(); ++s) {
    RecheckedRow& row = recheck.rows[asked.rows[s]];
    const double level = search::level_in_turn(asked.batch.studies[s].problem.acceptance.level,
                                               asked.rows.size(), shown);
    if (const auto verdict = measuring.no_worse(s, asked.choices[s], level)) {
      take_verdict(*verdict, row);
      shown += row.state == RowState::kHolds ? 1 : 0;
    } else if (measuring.columns()[s].cells[asked.choices[s]].failed) {
      const bool by_default = measuring.columns()[s].cells.front().failed;
      row.state = RowState::kBroken;
      row.reason = by_default ? measuring.why_unmeasured(s) : "it does not run there any more";
    }
  }
}

TableDevices devices_of(const TableAsked& asked, const TableBatch& batch) {
  return TableDevices::of(
      asked.kind.empty() ? asked.devices : of_kind(asked.devices, batch, asked.kind), batch);
}

}  // namespace

TableRecheck rechecked_table(const TableAsked& asked) {
  const ipc::HeldStopSignals held;
  const scheduler::SystemClock clock;
  const auto began = clock.now();
  const TableBatch batch = read_table_batch(asked.batch, asked.family, asked.overrides);
  TableRecheck recheck;
  const TableDocument document = table_of(batch, asked, recheck);
  TableDevices devices = devices_of(asked, batch);
  recheck.changed = changed_parts(document.made_of, batch, parts_of_files(batch, devices));
  const AskedRows rows = rows_of(document, batch, recheck);
  const TemporaryFolder folder;  // what was measured before does not count, nor does this later
  TableStore store(folder.path() + "/measured.jsonl", [](const std::string&) { return "now"; });
  TableMeasuring measuring(rows.batch, document.rule.configurations, store, devices,
                           measuring_terms(asked, clock));
  try {
    ask(rows, measuring, recheck);
    recheck.stopped = measuring.stopped() || held.pending();
  } catch (const scheduler::DeviceError& error) {
    if (measuring.evaluations() == 0) throw;
    recheck.device_error = error.what();
  } catch (const scheduler::StoppedEarly&) {
    recheck.stopped = true;
  }
  recheck.late = measuring.is_late();
  recheck.notices = measuring.notices();
  recheck.evaluations = measuring.evaluations();
  recheck.seconds = std::chrono::duration<double>(clock.now() - began).count();
  return recheck;
}

}  // namespace nightshift::tools
