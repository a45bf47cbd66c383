#pragma once

#include <string>

namespace nightshift::tools {

// Writes a file that the user named, whole: whoever reads it meanwhile sees it as it was or as it
// will be. What is no regular file (/dev/stdout, a pipe), or stands in a folder that takes no new
// files, is written in place. Throws UsageError that names the file and what is wrong with it.
void write_output(const std::string& path, const std::string& bytes);
// Throws the same where write_output would, as far as that can be told before.
void check_output(const std::string& path);

}  // namespace nightshift::tools
