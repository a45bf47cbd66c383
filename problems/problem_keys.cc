#include "problems/problem_keys.h"

#include <limits>

#include "problems/readers/keys/program_keys.h"
#include "problems/readers/keys/searcher_keys.h"
#include "problems/readers/keys/study_keys.h"
#include "search/searcher_catalogue.h"

namespace nightshift::problems {
namespace {

const ProblemTable* parameters() {
  const ProblemTable* entry = kept(
      {"parameters.NAME",
       "one parameter as a table: one of values, range and powers_of_two, and what else is known",
       false,
       {{"values", Mixed{"list, or a list expression as text"}, "", "the values"},
        {"range", Mixed{"[first, last] or [first, last, step]"}, "",
         "the values from the first to the last, both included"},
        {"powers_of_two", Mixed{"[first, last]"}, "", "the powers of two from first to last"},
        {"default", Mixed{"one of the values"}, "",
         "value in the baseline, and while `when` is false; absent: the first"},
        {"weights", Mixed{"list of positive numbers"}, "",
         "what is expected of each value, in their order; absent: the same of all"},
        {"when", Text{"expression"}, "",
         "the parameter is held at its default where this is false"},
        {"flag", Text{"text with {}"}, "",
         "makes it compiler options in place of a macro, {} being the value; of [host] and "
         "[cuda]"}}});
  return kept({"parameters",
               "what may be tried, in the order of the file",
               false,
               {{"NAME", Mixed{"list, list expression as text, or table"}, "",
                 "the values of the parameter NAME: [1, 2, 4], '[2**i for i in range(6)]'",
                 Presence::kOptional, entry}}});
}

const ProblemTable* baseline() {
  return open_table("baseline", "what every result is divided by; absent: every default",
                    Mixed{"value, or of [cuda] an expression over sizes"},
                    "value of the parameter NAME; what is left out has its default");
}

const ProblemTable* objective() {
  constexpr double kLeastWeight = 1e-6, kMostWeight = 1e6;
  constexpr double kAny = std::numeric_limits<double>::max();
  return kept(
      {"objective",
       "a figure that is to become better, or to keep within a limit; the first one is the primary",
       true,
       {{"name", Text{}, "\"time\"",
         "of [cuda] and [host]: time, energy, binary_size ...; see there"},
        {"unit", Text{}, "",
         "\"\": none; absent: ms for time, of what is measured the figure's first"},
        {"direction", Choice{{"minimise", "maximise"}}, "",
         "what is better; absent: minimise, of [cuda] as the figure needs it, of [recorded] as "
         "recorded; a rate or a score of a [command] has to say it"},
        {"weight", Number{kLeastWeight, kMostWeight}, "",
         "exponent in the score; no objective has one: the primary alone counts"},
        {"statistic", Choice{{"median", "mean", "trimmed-mean", "p95", "p99", "min", "max"}},
         "\"median\"", "of a measurement's samples; with min or max measure.precision is 0"},
        {"role", Choice{{"time", "size", "accuracy"}}, "",
         "what it counts for where search.scalarisation = \"efficiency\""},
        {"at_most", Number{-kAny, kAny}, "", "limit in the objective's unit"},
        {"at_least", Number{-kAny, kAny}, "", "limit in the objective's unit"}}});
}

ProblemTable whole_file() {
  return {"",
          "what stands before its first table, and its tables",
          false,
          {{"name", Text{}, "", "of the problem", Presence::kRequired},
           {"constraints", Texts{}, "[]", "expressions over parameters and sizes that must hold"},
           {"include", Texts{}, "[]",
            "sets of compiler options (gcc, clang, nvrtc, nvcc) or files of what problems share"},
           table_key("host", host_keys()),
           table_key("cuda", cuda_keys()),
           table_key("command", command_keys()),
           table_key("recorded", recorded_settings().table()),
           table_key("python", python_keys()),
           table_key("parameters", parameters()),
           table_key("baseline", baseline()),
           table_key("objective", objective()),
           table_key("measure", measure_settings().table()),
           table_key("limits", limits_settings().table()),
           table_key("budget", budget_settings().table()),
           table_key("search", search_settings().table()),
           table_key("schedule", schedule_settings().table()),
           table_key("acceptance", acceptance_settings().table()),
           table_key("device", device_settings().table()),
           table_key("judged", judged_keys())}};
}

void list_tables(const ProblemTable& table, std::vector<const ProblemTable*>& list) {
  list.push_back(&table);
  for (const ProblemKey& key : table.keys) {
    if (key.table != nullptr) list_tables(*key.table, list);
  }
}

}  // namespace

const ProblemTable& problem_file_keys() {
  static const ProblemTable file = whole_file();
  return file;
}

const std::vector<const ProblemTable*>& problem_tables() {
  static const std::vector<const ProblemTable*> tables = [] {
    std::vector<const ProblemTable*> list;
    list_tables(problem_file_keys(), list);
    return list;
  }();
  return tables;
}

std::vector<const ProblemTable*> searcher_tables() {
  std::vector<const ProblemTable*> tables;
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    tables.push_back(&searcher_keys(info.name));
  }
  return tables;
}

}  // namespace nightshift::problems
