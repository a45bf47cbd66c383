#pragma once

#include <string>

#include "scheduler/journal/batch_record.h"

namespace nightshift::scheduler {

// Terms as one JSON object, as the journal of a batch and requests have them.
std::string terms_to_json(const BatchStudyTerms& terms);
// Throws std::runtime_error where the text is not what terms_to_json() wrote.
BatchStudyTerms terms_from_json(std::string_view text);

}  // namespace nightshift::scheduler
