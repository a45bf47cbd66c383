#pragma once

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// What was measured below what the device can do: FLOP a second against FLOP a byte, under the rate
// of a copy and that of the arithmetic. Empty where the problem does not give both `bytes` and
// `flops`, or the device's rates are not known.
std::vector<Block> roofline_blocks(const scheduler::History& history,
                                   const scheduler::StudySummary& summary);

}  // namespace nightshift::tools
