#pragma once

#include "tools/exit_code.h"

namespace nightshift::tools {

// Opens what is closed of descriptors 0 to 2, so that no file of ours gets one of these numbers.
// Writing to an output that was closed still fails.
void hold_standard_descriptors();

// The last write to standard output, and what the program returns then: ExitCode::kOutput, told on
// standard error, where something could not be written, there or of any_unwritten(), and the work
// itself is done: a batch that the same command goes on with stays unfinished. A reader who has left (`| head`) is no error: the code is that of the work.
ExitCode finish_standard_output(ExitCode of_work);

}  // namespace nightshift::tools
