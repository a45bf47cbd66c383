#pragma once

#include <string>
#include <vector>

#include "tools/document/document.h"
#include "tools/explain/study_model.h"

namespace nightshift::tools {

// "A forest of 240 configurations foretells 84.00 % of the variance of what it has not seen."
std::string quality_text(const StudyModel& model);
// What a model says of a study, with bars of the shares and the expected score of each value; of a
// study without a model why there is none.
std::vector<Block> model_blocks(const StudyModel& model);
// The same as a JSON object.
std::string model_json(const StudyModel& model);

}  // namespace nightshift::tools
