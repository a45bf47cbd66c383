#pragma once

#include <map>
#include <string>
#include <vector>

#include "problems/override.h"
#include "scheduler/journal/history.h"
#include "search/configuration.h"
#include "search/problem.h"
#include "search/table/shape_matrix.h"
#include "search/table/table_shape.h"

namespace nightshift::tools {

// A study of a batch as a table sees it.
struct TableStudy {
  std::string name;          // in the batch
  std::string folder;        // of the study
  std::string problem_file;  // as the batch names it
  search::TableShape shape;
  search::Problem problem;
  // What the study measured, by configuration as JSON: ln of its score, candidate over baseline.
  std::map<std::string, double> known;
  // Keys of the problem file that set its sizes, by their names.
  std::map<std::string, std::string> size_keys = {};
  std::string unknown = {};  // as of why_unknown()
};

// The studies of one problem, each with a shape of its own.
struct TableBatch {
  std::string name;
  std::string folder;
  std::string problem_file;
  std::string nodes = {};  // that it was measured on last, as of kept_list(); empty: this machine
  std::vector<TableStudy> studies;
  std::vector<std::string> notices;  // which studies are left out, and why
  std::map<std::string, search::Configuration> configurations;  // of all studies, by their JSON
};

// Why a study called so says nothing of its shape, "p-N512: the baseline failed on ...": its default
// was not measured. Empty where it was.
std::string why_unknown(const scheduler::History& history, const std::string& name);
// Whether of a study's shape the study or the table's matrix has figures. `missing`: why the table
// did not measure all that it asked. A default that fails in the table is not known, whatever ran in
// the night.
bool is_known(const TableStudy& study, const search::MatrixColumn& column,
              const std::string& missing);

// The same problem with other sizes, for shapes that no study is of: its sizes are set where the
// study's were, under [host.sizes] or [cuda.sizes]. Throws UsageError where they were set elsewhere.
TableStudy with_sizes(const TableStudy& study, const search::Sizes& sizes,
                      const std::vector<problems::Override>& overrides);

// Of a batch, by its folder or its name in batches/. `family`: of several problems in the batch the
// one whose name this is; empty where there is one. `overrides` are for measuring. Throws UsageError
// where it is no batch, has no study with a shape, several problems and no `family`, or shapes with
// different sizes; and JournalError.
TableBatch read_table_batch(const std::string& word, const std::string& family,
                            const std::vector<problems::Override>& overrides);

// Candidates of the matrix, the default first: those that by the studies' own figures serve all
// shapes best together (search/table/kept_configurations.h), `most` besides the default. A
// configuration that a study did not measure gains nothing there.
std::vector<search::Configuration> table_candidates(const TableBatch& batch, std::size_t most);

}  // namespace nightshift::tools
