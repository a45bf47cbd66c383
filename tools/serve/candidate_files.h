#pragma once

#include <string>

#include "tools/serve/service_request.h"

namespace nightshift::tools {

// What the request brings, of a path the text of now: it may be another one when the candidate's
// turn comes. Throws UsageError where the path is no readable file of at most kMostLine.
CandidateFiles files_of(const CandidateRequest& request);

// A hash of names and texts.
std::string content_of(const CandidateFiles& files);

}  // namespace nightshift::tools
