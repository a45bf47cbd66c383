#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/override.h"
#include "scheduler/devices/device.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"
#include "search/identity.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "search/searcher.h"
#include "tools/problem/journaled_problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// What a study is made of, whether it runs alone or in a batch.

// The problem's searcher, with its seed, starts and earlier studies. Throws UsageError.
std::unique_ptr<search::Searcher> searcher_for(const search::Problem& problem,
                                               const search::ParameterSpace& space);
// Where the expected cost is over the multiprocessors of a device and the file leaves them open:
// those of the first GPU.
void settle_multiprocessors(search::Problem& problem,
                            const std::vector<scheduler::Device>& devices);
// What a study that begins now keeps, since files and devices change: `overrides`, the starts
// themselves in place of the file that the nearest of them are from, and the multiprocessors.
inline constexpr char kNoStartsFile[] = "\"\"";
std::vector<problems::Override> with_what_it_keeps(const search::Problem& problem,
                                                   std::vector<problems::Override> overrides);
// What the journal keeps of a study that begins now.
scheduler::StudyHeader study_header(const search::Problem& problem, std::string problem_text,
                                    std::vector<problems::Override> overrides,
                                    std::string device_selection, search::Identity identity);
// The page that `nightshift report` prints, kept beside the journal for who has no nightshift, and
// a line in the history of this machine. The study is complete without them, so a full disk is only
// mentioned.
void keep_outcome(const StudyFolder& folder, const scheduler::History& history,
                  const search::Problem& problem);

}  // namespace nightshift::tools
