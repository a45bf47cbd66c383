#pragma once

#include <string>

namespace nightshift::evaluator {

// How long a build took is kept beside its artifact, among its compiler's figures, from the first
// build of that machine code on: later ones of the same code are no news.
void keep_build_time(const std::string& artifact_folder, const std::string& hash, double seconds);
// As a condition of what is measured with it.
inline constexpr const char* kOfFirstBuild = "of the first build of this machine code";
// Throws std::runtime_error where nobody kept it.
double build_time(const std::string& artifact_folder, const std::string& hash);

}  // namespace nightshift::evaluator
