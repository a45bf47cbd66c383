#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scheduler/journal/batch_record.h"

namespace nightshift::scheduler {

// Terms as one JSON object, as the journal of a batch and requests have them.
std::string terms_to_json(const BatchStudyTerms& terms);
// Throws std::runtime_error where the text is not what terms_to_json() wrote.
BatchStudyTerms terms_from_json(std::string_view text);

std::string shortage_to_json(const BatchShortage& shortage);
// nullopt where the text is not what that wrote.
std::optional<BatchShortage> shortage_from_json(std::string_view text);

// Of a kClockEvent and a kMadeUpEvent: seconds.
std::string shift_to_text(double seconds);
// 0 where the text is none.
double shift_from_text(std::string_view text);

}  // namespace nightshift::scheduler
