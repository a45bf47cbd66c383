#include "problems/batch_keys.h"

#include <string>
#include <vector>

namespace nightshift::problems {
namespace {

std::vector<ProblemKey> study_keys(Presence problem) {
  return {
      {"problem", Text{"path"}, "", "problem file or recorded space, relative to this file",
       problem},
      {"name", Text{}, "",
       "of the study, and of its folder; the problem's file or folder if absent"},
      {"budget", Text{"duration or number of trials"}, "",
       "\"10m\" of time with a device, or \"400t\"; the problem's own if absent"},
      {"weight", Number{0.001, 1000}, "1",
       "share of the time under a deadline, beside the others'"},
      {"devices", Integer{1, 1024}, "1", "it begins with so many"},
      {"devices_most", Integer{0, 1024}, "0", "and gets no more; 0: as many as there are"},
      {"after", Texts{}, "[]", "names of studies that must have ended before"},
      {"deadline", Text{"duration"}, "",
       "it has ended so long after the batch began; nearest deadlines go first"},
      {"patience", Number{0, 1e6}, "4",
       "under --until or --time it ends once so many times as many configurations brought no gain "
       "as had been explored up to the last one; 0: never"},
      {"warm_start", Truth{}, "true",
       "begins with what the batch has found for other sizes of its problem"},
      {"set", Mixed{"table"}, "{}", "keys of the problem file, as --set has them"},
      {"each", Mixed{"table of lists"}, "{}",
       "the same with a list each: a study for every value, of several keys for every combination"},
      {"shapes", Mixed{"list of tables, or file"}, "",
       "a study for each: [{ M = 1, N = 4096, count = 3 }], \"shapes.csv\", JSON, or "
       "{ file = \"calls.log\", regex = \"M=(?<M>[0-9]+)\" }"},
      {"full_shapes", Integer{0, 10'000}, "0",
       "so many of `shapes`, far from each other, come first with the budget; 0: all"},
      {"rest_budget", Text{"duration or number of trials"}, "",
       "of the other shapes, which begin with what those have found; `budget` if absent"},
      {"shape", Mixed{"table of integers"}, "{}",
       "sizes of this one study: of [host.sizes] or [cuda.sizes], which it sets, else by what it "
       "is "
       "known to `nightshift table`"},
      {"calls", Number{1e-9, 1e15}, "1", "how often a program calls that shape"},
  };
}

const ProblemTable* defaults_table() {
  return kept({"defaults", "for every study that does not say otherwise", false,
               study_keys(Presence::kOptional)});
}

const ProblemTable* study_table() {
  return kept({"study", "a study of the batch", true, study_keys(Presence::kRequired)});
}

const ProblemTable* hooks_table() {
  const std::string how = "; a command for a shell, with facts as JSON on its standard input";
  return kept({"hooks",
               "what is run when something happens",
               false,
               {
                   {"on_improvement", Text{"command"}, "", "a study shows an improvement" + how},
                   {"on_failure", Text{"command"}, "", "a study fails" + how},
                   {"on_end", Text{"command"}, "", "the batch ends" + how},
               }});
}

}  // namespace

const ProblemTable& batch_file_keys() {
  static const ProblemTable keys{
      "",
      "a batch of studies",
      false,
      {
          {"name", Text{}, "", "of the batch, and of its folder; the file's if absent"},
          {"defaults", Table{}, "", "", Presence::kOptional, defaults_table()},
          {"study", Tables{}, "", "", Presence::kOptional, study_table()},
          {"hooks", Table{}, "", "", Presence::kOptional, hooks_table()},
      }};
  return keys;
}

}  // namespace nightshift::problems
