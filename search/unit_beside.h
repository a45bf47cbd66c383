#pragma once

#include <cstddef>
#include <string_view>

#include "search/unit.h"

namespace nightshift::search {

// What stands beside a number and says what it is in. At most one of unit, unknown and more is set;
// none where nothing says so.
struct UnitBeside {
  const Unit* unit = nullptr;     // one that we know
  std::string_view unknown = {};  // meant as a unit, and none that we know: "parsecs", "US", "%"
  std::string_view more = {};     // how the number itself goes on: "e-05" behind 1.2
  bool of_one = false;            // of one operation of many: "us/op"
  double count = 1;               // of so many of these: 100 of "ms/100 iterations"
  std::string_view counted = {};  // where none is set, the word behind: figures/counted_word.h

  // A word that can only be a unit, or "us per iteration"; blanks around it do not count.
  static UnitBeside of_word(std::string_view word);
};

// What stands behind a number, where `text` begins, up to the end of the line. `matched`: how much
// of it whoever looked for the number asked for. Asked for, a word that looks like no unit is the
// name of the number: "0.12user".
//
// Directly behind the number any other word is meant as a unit. Behind blanks or in brackets only
// what looks like one is: not "iterations" or "(best of 5)". "min", "h" and single letters are
// names where a number follows: "5 min 3 max 9"; a lesser unit behind that one makes it a time of
// two parts: "5 min 30 s". An error between them is passed over: "10.0 +- 0.1 us", "10.0 +- 1% us".
// So is a comma before a unit that is a field of its own: "10.0, us"; and a bar before one that is
// a cell, "10.0 | us |". "us per iteration" is us/iter, and "ms/100 iterations" a hundredth of it.
// A unit that we know may be in quotes, "10.0 'us'", or tied to the number by a sign, "10.0-us".
// Marks that set the number off are passed over: "**10.0** us", "<b>10.0</b> us", "10.0 # us".
// Colours of a terminal are blanks. A power behind a blank belongs to the number: "10.0 e-3 s",
// "10.0 * 1e-6 s". A unit with a factor is none that we know: "10.0 (1e-6 s)".
UnitBeside unit_behind(std::string_view text, std::size_t matched = 0);

// What stands before a number, at the end of `text`, before blanks, brackets, '=' and ':'. A unit
// that is a single letter or unknown counts in brackets alone: "time (s): ", but not "s = ", which
// may be anything. With a factor it is none that we know:
// "time (1e-6 s): ", "time (100 ns): ".
UnitBeside unit_before(std::string_view text);

}  // namespace nightshift::search
