#include "ipc/shared_region.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace nightshift::ipc {
namespace {

constexpr std::size_t kBytes = 1 << 20;

TEST(MemoryFile, CannotChangeItsSize) {
  const UniqueFd file = make_memory_file("test", kBytes);
  EXPECT_EQ(::ftruncate(file.get(), 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(file.get(), 2 * kBytes), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST(MemoryFile, IsClosedOnExec) {
  const UniqueFd file = make_memory_file("test", kBytes);
  EXPECT_EQ(::fcntl(file.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(MemoryFile, CostsOnlyWhatWasTouched) {
  const UniqueFd file = make_memory_file("test", std::size_t{1} << 30);
  const auto region = SharedRegion::map(file.get(), 1 << 30, SharedRegion::Access::kReadWrite);
  region.bytes()[0] = std::byte{1};
  struct stat status {};
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  EXPECT_EQ(status.st_blocks * 512, ::sysconf(_SC_PAGESIZE));
}

TEST(SharedRegion, ShowsTheSameBytesThroughTwoMappings) {
  const UniqueFd file = make_memory_file("test", kBytes);
  const auto one = SharedRegion::map(file.get(), kBytes, SharedRegion::Access::kReadWrite);
  const auto two = SharedRegion::map(file.get(), kBytes, SharedRegion::Access::kReadOnly);
  std::memcpy(one.bytes().data() + 5000, "here", 4);
  EXPECT_EQ(std::memcmp(two.bytes().data() + 5000, "here", 4), 0);
  EXPECT_EQ(two.bytes().size(), kBytes);
}

TEST(SharedRegion, RefusesAFileThatIsShorterThanTheMapping) {
  const UniqueFd file = make_memory_file("test", 4096);
  EXPECT_THROW((void)SharedRegion::map(file.get(), 8192, SharedRegion::Access::kReadOnly),
               std::system_error);
}

TEST(SharedRegion, SaysWhichCallFailed) {
  try {
    (void)SharedRegion::map(-1, 4096, SharedRegion::Access::kReadOnly);
    FAIL() << "mapped nothing";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), EBADF);
    EXPECT_NE(std::string(e.what()).find("fstat"), std::string::npos) << e.what();
  }
}

TEST(SealAgainstNewWriters, KeepsTheOldMappingAndRefusesAllOthers) {
  const UniqueFd file = make_memory_file("test", kBytes);
  const auto old = SharedRegion::map(file.get(), kBytes, SharedRegion::Access::kReadWrite);
  if (!seal_against_new_writers(file.get()))
    GTEST_SKIP() << "this kernel has no F_SEAL_FUTURE_WRITE";

  EXPECT_THROW((void)SharedRegion::map(file.get(), kBytes, SharedRegion::Access::kReadWrite),
               std::system_error);
  EXPECT_EQ(::pwrite(file.get(), "x", 1, 0), -1);
  EXPECT_EQ(::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
  const auto reader = SharedRegion::map(file.get(), kBytes, SharedRegion::Access::kReadOnly);
  EXPECT_EQ(::mprotect(reader.bytes().data(), kBytes, PROT_READ | PROT_WRITE), -1);
  old.bytes()[7] = std::byte{42};
  EXPECT_EQ(reader.bytes()[7], std::byte{42});
}

TEST(UniqueFd, ClosesOnceAndMovesAway) {
  const int number = ::dup(0);
  {
    UniqueFd one(number);
    UniqueFd two(std::move(one));
    EXPECT_EQ(two.get(), number);
    one = std::move(two);
    EXPECT_TRUE(one);
    EXPECT_NE(::fcntl(number, F_GETFD), -1);
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(UniqueFd, ReleasesWithoutClosing) {
  UniqueFd one(::dup(0));
  const int number = one.release();
  EXPECT_FALSE(one);
  one.reset();
  EXPECT_NE(::fcntl(number, F_GETFD), -1);
  one.reset(number);
  one.reset();
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace nightshift::ipc
