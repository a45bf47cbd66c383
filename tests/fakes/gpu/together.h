#pragma once

#include <string>

namespace fake_gpu {

// What a program's text says before all that is its own.
constexpr char kProgramBegins[] = "struct fake_program_begins;";

// Whether threads of the preprocessed program wait for each other, or use what only threads that
// run together have. Its __shared__ variables and inline PTX are then written as what
// include/fake_threads.h makes of them; else __shared__ becomes static. Lines stay where they are.
bool write_threads(std::string& text);

}  // namespace fake_gpu
