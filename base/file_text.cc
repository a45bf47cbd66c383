#include "base/file_text.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace nightshift::base {

std::string read_whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw std::runtime_error(path + " is a folder");
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in && !in.eof()) throw std::runtime_error("cannot read " + path);
  return bytes;
}

std::string text_if_there(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_whole_file(const std::string& path, const std::string& bytes) {
  const std::string beside = path + "." + std::to_string(::getpid());
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(beside, path, error);
  if (!out || error) {
    std::filesystem::remove(beside, error);
    throw std::runtime_error("cannot write " + path + ": is the disk full?");
  }
}

}  // namespace nightshift::base
