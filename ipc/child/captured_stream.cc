#include "ipc/child/captured_stream.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "ipc/shared_region.h"
#include "ipc/system_call.h"

namespace nightshift::ipc {

namespace {

// A write that would cross the end of a sealed memory file fails as a whole page, so the last page
// may stay partly unused. With one page to spare every lost byte leaves the offset past the limit.
constexpr std::size_t kSparePage = 4096;

std::size_t bytes_of(off_t offset) { return offset > 0 ? static_cast<std::size_t>(offset) : 0; }

}  // namespace

CapturedStream::CapturedStream(const std::string& label, std::size_t kept, Size size)
    : file_(size == Size::kGrows ? make_growing_file(label)
                                 : make_memory_file(label, kept + kSparePage)),
      kept_(kept),
      grows_(size == Size::kGrows) {
  // So that nothing is written over what somebody else appended.
  if (grows_ && ::fcntl(file_.get(), F_SETFL, O_APPEND) != 0) throw_errno("F_SETFL of output");
}

std::size_t CapturedStream::printed() const {
  if (!file_) return 0;
  if (!grows_) return bytes_of(::lseek(file_.get(), 0, SEEK_CUR));
  struct stat status {};
  return ::fstat(file_.get(), &status) == 0 ? bytes_of(status.st_size) : 0;
}

std::string CapturedStream::head() const {
  std::string text(std::min(printed(), kept_), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = retry_interrupted([&] {
      return ::pread(file_.get(), text.data() + have, text.size() - have, static_cast<off_t>(have));
    });
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  text.resize(have);
  return text;
}

void CapturedStream::bound() noexcept {
  if (!grows_ || !was_cut()) return;
  const auto end = static_cast<off_t>(kept_ + kSparePage);
  // What is written between the two calls stays, and is not read.
  (void)::ftruncate(file_.get(), end);
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_GROW) != 0) return;
  (void)::fcntl(file_.get(), F_SETFL, 0);  // nothing can be appended any more
  ::lseek(file_.get(), end, SEEK_SET);
  grows_ = false;
}

void CapturedStream::forget() noexcept {
  if (!file_) return;
  if (grows_) (void)::ftruncate(file_.get(), 0);
  ::lseek(file_.get(), 0, SEEK_SET);
}

}  // namespace nightshift::ipc
