#include "output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "sluice/error.hpp"
#include "sluice/write_file.hpp"

namespace sluice::command {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(path, "cannot be written: " + std::generic_category().message(error), "a file that can be written");
}

}  // namespace

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    fail("standard output", errno);
}

void write_file_atomically(const std::string& path, const std::string& content) {
  sluice::write_file_atomically(path, content);
}

void check_writable(const std::string& path) {
  if (path.empty()) fail("''", ENOENT);
  std::error_code error;
  const std::filesystem::path target = std::filesystem::absolute(path, error);
  if (std::filesystem::is_directory(target, error)) fail(path, EISDIR);
  if (::access(target.parent_path().c_str(), W_OK | X_OK) != 0) fail(path, errno);
  if (std::filesystem::exists(target, error) && ::access(target.c_str(), W_OK) != 0) fail(path, errno);
}

void check_json_target(const std::string& file) {
  if (!file.empty() && file != "-") check_writable(file);
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    throw InputError(path.empty() ? "''" : path, "no folder can be made there: " + error.message(), "a folder");
}

}  // namespace sluice::command
