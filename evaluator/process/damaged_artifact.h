#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace nightshift::evaluator {

// An artifact is gone from its folder, or is not what its name says: a power failure tore it, the
// disk gave it back changed, or somebody removed it. It can be built again, so that this is
// nobody's failure. Artifacts are not flushed to the disk when they are written, which would cost
// each build milliseconds: they are looked at when they are loaded instead.
class DamagedArtifact : public std::runtime_error {
 public:
  DamagedArtifact(std::string name, const std::string& why)
      : std::runtime_error("the artifact " + name + " " + why), name_(std::move(name)) {}
  const std::string& name() const { return name_; }  // as it was asked for

 private:
  std::string name_;
};

// Of an artifact that is a single file, named by the hash of its content. Throws DamagedArtifact.
void expect_content(const std::filesystem::path& artifact);

}  // namespace nightshift::evaluator
