#pragma once

#include <cstdint>
#include <string>

namespace nightshift::scheduler {

// The files that a study is made of (search/identity.h), as they are now.
struct SourceLook {
  enum class Standing : std::uint8_t { kAsBegun, kGone, kChanged } standing = Standing::kAsBegun;
  std::string file;  // that is gone, or another than when the study began
  // Since the look before, one was gone, another, moved or written anew, whatever it is now.
  bool disturbed = false;
};

class SourceFiles {
 public:
  virtual ~SourceFiles() = default;
  // Is asked at the end of each job, and so takes microseconds where nothing has changed.
  virtual SourceLook look() = 0;
};

}  // namespace nightshift::scheduler
