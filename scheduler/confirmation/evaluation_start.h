#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/journal/journal.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// What an evaluation begins from, so that pairs have the same and blocks of pairs have not.

// What kernels of a host owe to chance, where their code and data lie, is that of their process:
// pairs that share two of them are no independent ones, and seem to scatter less than they do. So
// each pair that a claim is made by has processes of its own.
bool has_processes_for_each_pair(const search::Problem& problem);

// Whether an evaluation of a confirmation is the first of its process. Each block of rounds has
// processes of its own, on hosts one for each arm, and in the claim at the end each pair, where
// has_processes_for_each_pair() says so. A recording would only be read again. On GPUs a block
// has vectors of its own (see seed_of) and only the claim at the end new processes, one a block: the
// driver makes and ends contexts one after the other, which with four GPUs takes a second for each.
bool starts_process(const search::Problem& problem, const Evaluation& evaluation, Purpose purpose);

// The seed of its inputs and resampling. Kernels get the same inputs in every evaluation of an
// exploration, so that the reference is computed once; each block of rounds of a confirmation has inputs
// of its own, the same in both arms, and each pair where it has processes of its own: what is accepted
// has been right on inputs that it was not chosen by. On GPUs other inputs also lie at other places.
// `purpose`: of the confirmation that it is of.
std::uint64_t seed_of(const search::Problem& problem, const ProposedTrial& trial,
                      std::optional<Purpose> purpose);

}  // namespace nightshift::scheduler
