#pragma once

#include <string>

namespace nightshift::tools {

// A new folder under $TMPDIR (/tmp) with artifacts/ and scratch/ in it, for what is measured
// without a study; removed with all that is in it when this goes. Throws OutputError that names the
// place and what to do.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string artifacts() const { return path_ + "/artifacts"; }
  std::string scratch() const { return path_ + "/scratch"; }

 private:
  std::string path_;
};

}  // namespace nightshift::tools
