#pragma once

#include <string>

#include "problems/readers/recorded/recording.h"

namespace nightshift::problems {

// Takes figures out of a recording that its objective's unit rules out, which would be better than
// all others: times, rates, frequencies, energies and powers of 0, below it or too small to be
// measured, and bytes below 0. A configuration that has no other counts as failed. Returns what was
// left out, for people; empty where nothing was.
std::string leave_out_impossible(Recording& recording);

}  // namespace nightshift::problems
