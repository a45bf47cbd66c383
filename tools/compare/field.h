#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "scheduler/evaluation_loop.h"
#include "search/problem.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// A problem and two or more things to compare in it.
struct Field {
  search::Problem problem;
  std::vector<scheduler::Contender> contenders;
  std::vector<std::string> notices;  // that a study measured something else than what is compared
  // The folder that has the machine code which contenders and `reference` name, absolute; empty:
  // all is built in a folder of its own.
  std::string artifacts = {};
  std::string reference = {};  // hash, as of EvaluationLoop::Parts
  // Of each contender the problem that it is built by; nullopt: the one above.
  std::vector<std::optional<search::Problem>> built_as = {};
  std::string temporary = {};  // as of Contest
  std::size_t others = 0;      // pairs of other fields that share the level, as of judge_pairs()
  bool with_configurations = true;  // false for two commands
  std::string check = {};           // by which the outputs of two commands agreed
};

// Of the words that `compare` is given: a problem file or a study, and what contender.h reads.
// Where fewer than two are named, the baseline comes first, and of a study its best. Throws
// UsageError, ProblemFileError and JournalError.
Field field_of(const std::vector<std::string>& words,
               const std::vector<problems::Override>& overrides);

// Builds those that are built otherwise, in `folder`, which outlives what is done with the field.
// False where a signal stopped it. Throws scheduler::StudyError and scheduler::DeviceError.
bool build_otherwise(Field& field, const std::string& devices, const TemporaryFolder& folder);

}  // namespace nightshift::tools
