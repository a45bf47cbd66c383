#pragma once

#include <string>

namespace nightshift::tools {

// Writes a file that the user named, whole: whoever reads it meanwhile sees it as it was or as it
// will be. What is no regular file (/dev/stdout, a pipe), or stands in a folder that takes no new
// files, is written in place. Throws UsageError that names the file and what is wrong with it.
void write_output(const std::string& path, const std::string& bytes);
// Throws the same where write_output would, as far as that can be told before.
void check_output(const std::string& path);

// Of a file that the program keeps in a folder of its own and nobody named: what is no regular file
// is refused, too. Throws as write_output() does.
void write_own(const std::string& path, const std::string& bytes);
// Of such a file that the work does without: standard error has why it could not be written, once a
// file, and the program returns ExitCode::kOutput at its end where the work itself did not fail
// (finish_standard_output()).
void tell_unwritten(const std::string& path, const std::string& why);
bool any_unwritten();
// write_own() of such a file. False where it was told.
bool keep_output(const std::string& path, const std::string& bytes);

}  // namespace nightshift::tools
