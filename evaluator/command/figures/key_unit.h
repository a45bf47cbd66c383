#pragma once

#include <string_view>

#include "evaluator/command/figures/figure_unit.h"
#include "search/unit_beside.h"

namespace nightshift::evaluator {

// The unit that the key of a figure ends with: "us" of "time_us", "timeUs", "time_us_mean" and
// "Time (us)", "nsPerOp" and "p50us", and of "us" itself; "KiB" of "memory_kib", "GB/s" of
// "bandwidth_gb_s" and "bytes_per_second". Short forms may be in any case.
//
// Single letters are parts of other names, but for that of seconds, and W and J of an objective in
// power and energy; "min" is the least. Of an objective without a unit only a time counts, since
// "total_flops" may be a count, and not where the objective is called so itself. The objective's
// own word is no other unit, and "gbps", which may be of bits or of bytes, none beside GB/s.
search::UnitBeside unit_of_key(std::string_view key, const FigureUnit& wanted);

// Whether capitals, lines or a percentile show where the words of a name begin, so that its last one
// may be a unit: "latencyMs", "time_us", "p50us", and not "items" and "bus".
bool is_of_several_words(std::string_view name);

// Throws FigureError where the key ends with a unit that the objective's figures cannot be in.
void expect_fitting(const search::UnitBeside& of_key, std::string_view key,
                    const FigureUnit& wanted);

}  // namespace nightshift::evaluator
