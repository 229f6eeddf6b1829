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

std::string linked_path(const std::string& path) {
  if (path.empty()) fail("''", ENOENT);
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    const std::filesystem::path target = std::filesystem::canonical(path, error);
    return error ? path : target.string();  // a pipe has no path of its own
  }
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::filesystem::path target = path;
  for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(target, error)); ++links) {
    if (links == kMostLinks) fail(path, ELOOP);
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) fail(path, error.value());
    target = target.parent_path() / next;  // `next` alone if it begins at the root
  }
  return target.string();
}

UnfinishedFile::UnfinishedFile(const std::string& path, const std::string& content,
                               const std::function<void(const std::string&)>& created)
    : path_(path), target_(linked_path(path)) {
  struct stat existing = {};
  const bool exists = ::stat(target_.c_str(), &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode)) {
    const int file = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) fail(path, errno);
    if (const int error = write_and_close(file, content); error != 0) fail(path, error);
    return;
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(path, errno);  // rename would not ask
  const std::string unfinished = target_ + ".part-" + std::to_string(::getpid());
  const int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(path, errno);
  if (created) created(unfinished);
  if (exists) (void)::fchmod(file, existing.st_mode & 07777);
  if (const int error = write_and_close(file, content); error != 0) {
    ::unlink(unfinished.c_str());
    fail(path, error);
  }
  unfinished_ = unfinished;
}

UnfinishedFile::~UnfinishedFile() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

void UnfinishedFile::finish() {
  if (unfinished_.empty()) return;
  if (::rename(unfinished_.c_str(), target_.c_str()) != 0) fail(path_, errno);
  unfinished_.clear();
}

void write_file_atomically(const std::string& path, const std::string& content) {
  UnfinishedFile(path, content).finish();
}

}  // namespace sluice
