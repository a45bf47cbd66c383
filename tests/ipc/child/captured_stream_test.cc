#include "ipc/child/captured_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace nightshift::ipc {
namespace {

using Size = CapturedStream::Size;
constexpr std::size_t kKept = 10'000;

// As a child does: 0, or the error of what was not written.
int print(int fd, const std::string& text) {
  return ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

// As `> /dev/stderr` (O_TRUNC) and `>> /dev/stderr` (O_APPEND) of a shell.
int print_anew(const CapturedStream& stream, int how, const std::string& text) {
  const std::string path = "/proc/self/fd/" + std::to_string(stream.fd());
  const UniqueFd own(::open(path.c_str(), O_WRONLY | O_CLOEXEC | how));
  return own ? print(own.get(), text) : errno;
}

TEST(CapturedStream, OfFixedSizeIsNotOpenedAnew) {
  const CapturedStream stream("test", kKept, Size::kFixed);
  EXPECT_EQ(print(stream.fd(), "one\n"), 0);
  EXPECT_EQ(print_anew(stream, O_TRUNC, "lost\n"), EPERM);
  EXPECT_EQ(print_anew(stream, O_APPEND, "lost\n"), EPERM);
  EXPECT_EQ(stream.head(), "one\n");
}

TEST(CapturedStream, ThatGrowsIsAsARegularFile) {
  const CapturedStream stream("test", kKept, Size::kGrows);
  EXPECT_EQ(print(stream.fd(), "lost\n"), 0);
  EXPECT_EQ(print_anew(stream, O_TRUNC, "one\n"), 0);
  EXPECT_EQ(print(stream.fd(), "two\n"), 0);
  EXPECT_EQ(print_anew(stream, O_APPEND, "three\n"), 0);
  EXPECT_EQ(print(stream.fd(), "four\n"), 0);
  EXPECT_EQ(stream.head(), "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(stream.printed(), stream.head().size());
  EXPECT_FALSE(stream.was_cut());
}

TEST(CapturedStream, KnowsWhetherMoreThanIsKeptWasPrinted) {
  for (const Size size : {Size::kFixed, Size::kGrows}) {
    CapturedStream stream("test", kKept, size);
    EXPECT_EQ(print(stream.fd(), std::string(kKept, 'x')), 0);
    stream.bound();
    EXPECT_FALSE(stream.was_cut());
    EXPECT_EQ(print(stream.fd(), "y"), 0);
    EXPECT_TRUE(stream.was_cut());
    EXPECT_EQ(stream.head(), std::string(kKept, 'x'));
  }
}

TEST(CapturedStream, ThatGrowsGrowsNoMoreOnceItWasFoundTooLong) {
  CapturedStream stream("test", kKept, Size::kGrows);
  EXPECT_EQ(print(stream.fd(), std::string(3 * kKept, 'x')), 0);
  stream.bound();
  EXPECT_EQ(print(stream.fd(), "y"), EPERM);
  EXPECT_EQ(print_anew(stream, O_APPEND, "y"), EPERM);
  EXPECT_LE(::lseek(stream.fd(), 0, SEEK_END), static_cast<off_t>(2 * kKept));
  EXPECT_TRUE(stream.was_cut());
  EXPECT_EQ(stream.head(), std::string(kKept, 'x'));
}

TEST(CapturedStream, ThatWasFoundTooLongIsOfFixedSizeThen) {
  CapturedStream stream("test", kKept, Size::kGrows);
  EXPECT_EQ(print(stream.fd(), std::string(3 * kKept, 'x')), 0);
  stream.bound();
  stream.forget();
  EXPECT_FALSE(stream.was_cut());
  EXPECT_EQ(print(stream.fd(), "next\n"), 0);
  EXPECT_EQ(stream.head(), "next\n");
  stream.bound();
  EXPECT_FALSE(stream.was_cut());
  print(stream.fd(), std::string(3 * kKept, 'y'));  // of which a part has room
  EXPECT_TRUE(stream.was_cut());
  EXPECT_EQ(stream.head(), "next\n" + std::string(kKept - 5, 'y'));
}

TEST(CapturedStream, ForgetsWhatWasPrinted) {
  for (const Size size : {Size::kFixed, Size::kGrows}) {
    CapturedStream stream("test", kKept, size);
    EXPECT_EQ(print(stream.fd(), "a long first line\n"), 0);
    stream.forget();
    EXPECT_EQ(stream.head(), "");
    EXPECT_EQ(print(stream.fd(), "two\n"), 0);
    EXPECT_EQ(stream.head(), "two\n");
  }
}

TEST(CapturedStream, OfNothingIsEmpty) {
  CapturedStream stream;
  stream.bound();
  stream.forget();
  EXPECT_EQ(stream.head(), "");
  EXPECT_FALSE(stream.was_cut());
}

}  // namespace
}  // namespace nightshift::ipc
