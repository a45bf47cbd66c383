#pragma once

#include <string>

#include "evaluator/host/host_arguments.h"

namespace nightshift::evaluator {

// What a kernel without work would leave as well, of outputs that hold a right answer: an argument
// that is input and output as it was, or the same bits in all elements of an output of two or more.
// For people (search::kPlainAnswerCondition); empty where every output has more to it.
std::string plain_answer(const std::vector<search::Argument>& declared,
                         const HostArguments& answered);

}  // namespace nightshift::evaluator
