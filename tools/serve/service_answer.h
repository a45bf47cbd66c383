#pragma once

#include <nlohmann/json.hpp>

#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "tools/batch/batch_member.h"
#include "tools/serve/service_ledger.h"

namespace nightshift::tools {

// What became of a candidate, by the journal of its study, which is complete (docs/serve.md):
//
//   verdict   refused | right | faster | not_faster | same_code | undecided
//   status    of its evaluation (search::status_name), reason: a sentence
//   failure   of what is refused: its details, by status
//   ratio, interval, p_value, pairs   against the opponent; below 1: better
//   figures {name: {value, unit, opponent}}, conditions {name: text}
//   seconds   of the study
nlohmann::ordered_json answer_of(const Proposal& proposal, const scheduler::History& history,
                                 const search::Problem& problem);

// The same of a study of the batch, however it ended; null: its journal cannot be read. A candidate that
// was cancelled, or never begun, has an answer without figures.
nlohmann::ordered_json answer_to(const Proposal& proposal, const BatchMember& member,
                                 const scheduler::History* history);

// Why no duel is begun: the error level of its night is used up. Empty otherwise.
std::string why_no_level(const Proposal& proposal);

// A duel with the opponent was begun, whose level is spent whatever came of it.
bool held_duel(const Proposal& proposal, const scheduler::History& history);

// A settlement's: what was kept is not faster than the problem's own after all. One that came to no
// verdict disproves nothing.
bool disproves(const nlohmann::ordered_json& settlement);

// Its exploration failed.
bool is_refused(const Proposal& proposal, const scheduler::History& history);

// Of a candidate that has no such journal: `verdict` is cancelled, late or error.
nlohmann::ordered_json answer_without(const Proposal& proposal, const std::string& verdict,
                                      const std::string& reason);

}  // namespace nightshift::tools
