#include "base/file_text.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace nightshift::base {
namespace {

// 0 where all was written.
int error_of_writing(const std::string& path, const std::string& bytes, std::ios::openmode how) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | how);
  out << bytes;
  out.close();
  if (out) return 0;
  return errno == 0 ? ENOSPC : errno;
}

[[noreturn]] void fail(const std::string& path, const std::error_code& error) {
  throw std::system_error(error, "cannot write " + path);
}

}  // namespace

std::string not_a_file(const std::string& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  using Type = std::filesystem::file_type;
  if (type == Type::directory) return "is a folder";
  const bool is_other = type != Type::regular && type != Type::not_found && type != Type::none;
  return is_other ? "is no regular file" : "";
}

std::string read_whole_file(const std::string& path) {
  if (const std::string what = not_a_file(path); !what.empty()) {
    throw std::runtime_error(path + " " + what);
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in && !in.eof()) throw std::runtime_error("cannot read " + path);
  return bytes;
}

std::string text_if_there(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  const int error = error_of_writing(path, bytes, std::ios::trunc);
  if (error != 0) fail(path, {error, std::generic_category()});
}

void append_to_file(const std::string& path, const std::string& bytes) {
  const int error = error_of_writing(path, bytes, std::ios::app);
  if (error != 0) fail(path, {error, std::generic_category()});
}

void write_whole_file(const std::string& path, const std::string& bytes) {
  const std::string beside = path + "." + std::to_string(::getpid());
  std::error_code error(error_of_writing(beside, bytes, std::ios::trunc), std::generic_category());
  if (!error) std::filesystem::rename(beside, path, error);
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  fail(path, error);
}

}  // namespace nightshift::base
