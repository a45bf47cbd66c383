#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/override.h"
#include "search/acceptance/recheck.h"
#include "search/configuration.h"
#include "search/identity.h"
#include "search/problem.h"

namespace nightshift::tools {

// A winner as a study or an export claims it, and its problem as it stands today.
struct StoredWinner {
  std::string name;         // the study or the file, as it was named
  search::Problem problem;  // of today; what the journal keeps where its file is gone
  search::Configuration configuration;
  search::RecheckFacts facts;                // all that is known without building
  std::vector<std::string> changes;          // "scale.cc has changed"
  std::string study;                         // its folder, absolute; empty: it is an export
  std::vector<kernels::Override> overrides;  // with which its problem is read
  search::Identity made_of;                  // today; empty where its problem cannot be read
  std::string old_code;  // path of the machine code of then; empty: facts.unpaired says why
};

struct RecheckSubjects {
  std::vector<StoredWinner> winners;
  std::vector<std::string> notices;  // what there is nothing to recheck of
};

// Puts the old machine code of a winner beside that of today, in the folder `artifacts`. Where that fails
// facts.unpaired says why.
void fetch_old_code(StoredWinner& winner, const std::string& artifacts);

// Each word is a study, a batch, a folder that holds studies or exports, or a file of `export --format
// json`. A problem is read anew from its file, with the overrides of its study and then `overrides`; of an
// export from the file of that name beside it, else from where it was. Throws UsageError where a word is
// none of these or nothing is left to recheck, and JournalError.
RecheckSubjects recheck_subjects(const std::vector<std::string>& words,
                                 const std::vector<kernels::Override>& overrides);

}  // namespace nightshift::tools
