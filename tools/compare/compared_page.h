#pragma once

#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "search/problem.h"
#include "tools/summary/contender_figures_text.h"

namespace nightshift::tools {

// What `nightshift compare` says of two or of several, as a page: the verdict, what it rests on,
// and the evaluations. Text may be of any origin.
struct ComparedPage {
  using Rows = std::vector<std::vector<std::string>>;
  std::string title;
  std::string headline;
  std::string mood = "plain";        // "good", "bad": how the headline is coloured
  std::vector<std::string> remarks;  // a paragraph each; empty ones are left out
  Rows contenders, details;          // tables with headings, or nothing
  // For charts.
  std::vector<std::string> labels;  // of the contenders
  const search::Problem* problem = nullptr;
  std::vector<scheduler::Device> devices;
  ContenderRecords records;
};

// Headings of a table of contenders: `before`, each objective, `after`.
std::vector<std::string> contender_heading(std::vector<std::string> before,
                                           const search::Problem& problem,
                                           const std::vector<std::string>& after);

// A page for a browser, with the evaluations of each contender as boxes and, where they are few
// contenders, in the order in which they were measured.
std::string compared_html(const ComparedPage& page);
// Short enough for a pull request; the details folded away.
std::string compared_markdown(const ComparedPage& page);

}  // namespace nightshift::tools
