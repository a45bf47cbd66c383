#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nightshift::tools {

// Variables of a program's environment.
using Variables = std::vector<std::pair<std::string, std::string>>;

// `own`, and what has each Python below such a program begin with the hook that heeds them
// (python/nightshift/capture/hook): a folder before those of PYTHONPATH. Throws UsageError where the
// module is not beside this program.
Variables with_hook(Variables own);

// The words of `python3 -m nightshift WORDS...`; what it prints goes to standard error.
std::vector<std::string> module_words(const std::vector<std::string>& words);
// Runs these; again where they were killed from outside (evaluator/process/outside_kills.h). Their exit
// code, or 128 and the signal that ended them.
int module_code(const std::vector<std::string>& words);

// The file of tuned launches that `nightshift apply BATCH` has written: BATCH itself where it is a
// file, else in the folder BATCH or batches/BATCH; absolute. Throws UsageError where there is none.
std::string tuned_file(const std::string& batch);

}  // namespace nightshift::tools
