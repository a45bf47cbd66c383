#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "search/acceptance/recheck.h"
#include "search/configuration.h"
#include "search/identity.h"
#include "search/problem.h"
#include "tools/bundle/bundle_reader.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// A winner as a study or an export claims it, and its problem as it stands today.
struct StoredWinner {
  std::string name;         // the study or the file, as it was named
  search::Problem problem;  // of today; what the journal keeps where its file is gone
  search::Configuration configuration;
  search::RecheckFacts facts;                 // all that is known without building
  std::vector<std::string> changes;           // "scale.cc has changed"
  std::string study;                          // its folder, absolute; empty: it is an export
  std::vector<problems::Override> overrides;  // with which its problem is read
  search::Identity made_of;                   // today; empty where its problem cannot be read
  std::string old_code;  // path of the machine code of then; empty: facts.unpaired says why
  std::shared_ptr<TemporaryFolder> folder = {};  // of a bundle: has the files of its problem
  // The machine code of then, of the winner and the baseline, is measured.
  bool builds_nothing = false;
};

struct RecheckSubjects {
  std::vector<StoredWinner> winners;
  std::vector<std::string> notices;  // what there is nothing to recheck of
  std::size_t unread = 0;            // of these, studies whose journal is gone or damaged
};

// The winner of a bundle, as the bundle claims it, with the files of the bundle. A problem that
// cannot be read is a finding about it. Asks the compiler and GPUs what they are. From here on this
// process's builds leave nothing in the cache of builds.
StoredWinner winner_of_bundle(const OpenBundle& bundle,
                              const std::vector<problems::Override>& overrides);

// Puts the old machine code of a winner beside that of today, in the folder `artifacts`, and of one
// that builds nothing that of the baseline too. Where that fails facts.unpaired says why.
void fetch_old_code(StoredWinner& winner, const std::string& artifacts);

// Each word is a study, a batch, a bundle, a folder that holds studies or exports, or a file of
// `export --format json`. A problem is read anew from its file, with the overrides of its study and
// then `overrides`; of an export from the file of that name beside it, else from where it was; of a
// bundle from the bundle. Throws UsageError where a word is none of these or nothing is left to
// recheck, and JournalError.
RecheckSubjects recheck_subjects(const std::vector<std::string>& words,
                                 const std::vector<problems::Override>& overrides);

}  // namespace nightshift::tools
