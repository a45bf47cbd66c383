#include "tools/command_table.h"

namespace nightshift::tools {

// A subcommand is one file and one row: tools/NAME.cc defines `Command NAME_command()`, with
// underscores for the dashes of the name.
#define NIGHTSHIFT_COMMANDS(ROW) \
  ROW(tune)                      \
  ROW(init)                      \
  ROW(check)                     \
  ROW(batch)                     \
  ROW(submit)                    \
  ROW(cancel)                    \
  ROW(merge)                     \
  ROW(in_job)                    \
  ROW(collect)                   \
  ROW(apply)                     \
  ROW(compare)                   \
  ROW(recheck)                   \
  ROW(bisect)                    \
  ROW(history)                   \
  ROW(verify)                    \
  ROW(judge)                     \
  ROW(serve)                     \
  ROW(search)                    \
  ROW(noise)                     \
  ROW(resume)                    \
  ROW(explain)                   \
  ROW(code)                      \
  ROW(profile)                   \
  ROW(report)                    \
  ROW(status)                    \
  ROW(watch)                     \
  ROW(export)                    \
  ROW(table)                     \
  ROW(devices)                   \
  ROW(lock_clocks)               \
  ROW(commands)                  \
  ROW(agent)                     \
  ROW(help)

#define NIGHTSHIFT_DECLARE(name) Command name##_command();
NIGHTSHIFT_COMMANDS(NIGHTSHIFT_DECLARE)
#undef NIGHTSHIFT_DECLARE

const std::vector<Command>& command_table() {
#define NIGHTSHIFT_MAKE(name) name##_command(),
  static const std::vector<Command> table = {NIGHTSHIFT_COMMANDS(NIGHTSHIFT_MAKE)};
#undef NIGHTSHIFT_MAKE
  return table;
}

}  // namespace nightshift::tools
