#include "sluice/write_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "sluice/error.hpp"

namespace sluice {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(path, "cannot be written: " + std::generic_category().message(error), "a file that can be written");
}

/// Writes all of it and closes; 0 or the number of the error.
int write_and_close(int file, std::string_view content) {
  int error = 0;
  while (error == 0 && !content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written >= 0)
      content.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      error = errno;
  }
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

void write_file_atomically(const std::string& path, const std::string& content) {
  if (path.empty()) fail("''", ENOENT);
  std::error_code ignored;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
  const std::string target = ignored ? path : resolved.string();
  struct stat existing = {};
  const bool exists = ::stat(target.c_str(), &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode)) {
    const int file = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) fail(path, errno);
    if (const int error = write_and_close(file, content); error != 0) fail(path, error);
    return;
  }
  if (exists && ::access(target.c_str(), W_OK) != 0) fail(path, errno);  // rename would not ask
  const std::string unfinished = target + ".part-" + std::to_string(::getpid());
  const int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(path, errno);
  if (exists) (void)::fchmod(file, existing.st_mode & 07777);
  int error = write_and_close(file, content);
  if (error == 0 && ::rename(unfinished.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(unfinished.c_str());
    fail(path, error);
  }
}

}  // namespace sluice
