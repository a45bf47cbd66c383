#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/acceptance.h"

namespace nightshift::scheduler {

// What a verdict rests on, as the journal keeps it: {"looks": [{"pairs", "effect", "error", "p",
// "level"}], "devices": [{"device", "pairs", "voided", "effect", "error"}], "heterogeneity":
// {"p", "tau", "prediction", "depends"}, "shape": "", "confidence": 0.98}, the last of the verdict's
// interval. Infinities are null. The reader fills these
// members of `verdict` and throws std::invalid_argument naming what is wrong.
std::string evidence_to_json(const search::Verdict& verdict);
void evidence_from_json(std::string_view json, search::Verdict& verdict);

std::string devices_to_json(const std::vector<std::string>& devices);
std::vector<std::string> devices_from_json(std::string_view json);

}  // namespace nightshift::scheduler
