#pragma once

#include <string>
#include <vector>

#include "search/problem.h"

namespace nightshift::evaluator {

// What the baseline of `problem` needs on this machine and does not find: programs, on PATH or
// where they are named, scripts of interpreters, and compilers of the sources' languages. A
// sentence each, with the key. Words that only a configuration decides are not looked at, nor are
// programs of other machines and what is on a PATH of the problem's own. Last what of its
// objectives this machine cannot measure.
std::vector<std::string> missing_programs(const search::Problem& problem);

}  // namespace nightshift::evaluator
