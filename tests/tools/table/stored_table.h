#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/problems/scratch_folder.h"
#include "tests/tools/told_study.h"
#include "tools/table/table_measuring.h"

namespace nightshift::tests {

// Three shapes of sgemm whose matrix was measured before: what is asked is answered by the store,
// and no process is started.
struct StoredTable {
  StoredTable() : store(folder.path("measured.jsonl"), [](const std::string&) { return "today"; }) {
    batch.name = "night";
    for (const std::int64_t n : {64, 128, 256}) {
      tools::TableStudy study;
      study.name = "sgemm-N" + std::to_string(n);
      study.shape = {{{"N", n}}, 1};
      study.problem = told_problem();
      batch.studies.push_back(study);
    }
    candidates = {{}, told_configuration(2), told_configuration(4), told_configuration(3)};
    for (int block = 0; block < 3; ++block) {
      for (const char* shape : {"N=64", "N=128", "N=256"}) add_block(shape);
    }
    terms.end = scheduler::SystemClock{}.now();  // nothing is measured
  }

  std::string key(std::size_t candidate) const { return candidates[candidate].to_json(); }
  void add_block(const std::string& shape) {
    tools::StoredMeasurement block;
    block.shape = shape;
    block.effects = {{key(1), std::log(0.8)}, {key(2), 0}};
    block.artifacts = {{key(0), "aa"}, {key(1), "bb"}, {key(2), "aa"}};
    store.add(block);
  }
  void add(tools::StoredMeasurement::Kind kind, const std::string& shape, bool accepted,
           double level, const std::string& table = "") {
    tools::StoredMeasurement m;
    m.kind = kind;
    m.shape = shape;
    m.configuration = key(1);
    m.accepted = accepted;
    m.level = level;
    m.margin = terms.margin;
    m.ratio = 0.8;
    m.pairs = {0.22, 0.23, 0.21, 0.22, 0.22, 0.23, 0.21, 0.22};
    m.table = table;
    store.add(m);
  }
  tools::TableMeasuring measuring() { return {batch, candidates, store, devices, terms}; }

  problems::ScratchFolder folder;
  tools::TableBatch batch;
  std::vector<search::Configuration> candidates;
  tools::TableStore store;
  tools::TableDevices devices{"all", {}};
  tools::TableMeasuringTerms terms;
};

}  // namespace nightshift::tests
