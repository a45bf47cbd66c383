#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nightshift::base {

// How durations and amounts are written: one grammar for problem files and command lines. Each
// function gives nullopt where the text is something else. No text may begin or end with a blank.

// Seconds of a plain number ("90", "0.5") or of numbers with units, the larger first, added up: "90s", "2m", "1h30m",
// "1h 30m", "500ms", "1.5 h", "2d12h". Units: w, d, h, m or min, s, ms, us, ns. Also as Slurm's --time has
// it, where that can mean one thing only: "1-12", "1-12:30", "1-12:30:00", "36:00:00".
std::optional<double> parse_seconds(std::string_view text);
// The same where a unit must be named.
std::optional<double> parse_duration(std::string_view text);

// Bytes of "64MiB", "4 GiB", "512B", "1GB" (10^9); nullopt also for more than 2^63 - 1.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

// A whole number without a sign: "400".
std::optional<std::uint64_t> parse_count(std::string_view text);

// A number without a sign or an exponent: "700", "0.5".
std::optional<double> parse_number(std::string_view text);

// The share that a percentage is: "0.5%" and "0.5 %" are 0.005.
std::optional<double> parse_percentage(std::string_view text);

// Seconds as people write them: three digits at most, or whole ones. "0.3", "3.2", "1200".
std::string rounded_seconds(double seconds);

}  // namespace nightshift::base
