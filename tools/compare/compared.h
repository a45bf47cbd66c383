#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "search/problem.h"
#include "tools/document/document.h"
#include "tools/summary/contender_figures_text.h"

namespace nightshift::tools {

// What reports on two and on several contenders share.
struct Compared {
  const search::Problem* problem = nullptr;
  // What `problem` points to where the program told the unit of an objective that has none.
  std::shared_ptr<const search::Problem> told = {};
  std::vector<scheduler::Device> devices;
  ContenderRecords records;
  std::vector<std::string> notices;  // that a study measured something else than what is compared
  double seconds = 0;
  std::uint64_t seed = 0;
};

// A document without its blocks.
Document answer_of(std::string title, std::string verdict, Mood mood);
// Headings of a table of contenders: `before`, each objective, `after`.
std::vector<std::string> contender_heading(std::vector<std::string> before,
                                           const search::Problem& problem,
                                           const std::vector<std::string>& after);
// Appends remarks and notices, what was measured, the section of differences, and the evaluations
// of each contender: as boxes, and where they are few contenders in the order of measuring.
// `labels`: of the contenders.
void add_measured(Document& document, const Compared& compared,
                  const std::vector<std::string>& remarks, Section differences,
                  const std::vector<std::string>& labels);

}  // namespace nightshift::tools
