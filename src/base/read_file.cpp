#include "sluice/read_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

InputError unreadable(const std::string& path, int error, const char* what) {
  return {path, "cannot be read: " + std::generic_category().message(error), what};
}

class OpenFile {
 public:
  OpenFile(const std::string& path, const char* what)
      : path_(path),
        what_(what),
        descriptor_(path == kStandardInput ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw unreadable(path_, errno, what_);
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// The size to expect; 0 if it is not known, as of a pipe.
  [[nodiscard]] std::size_t size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw unreadable(path_, errno, what_);
    if (S_ISDIR(status.st_mode)) throw InputError(path_, "a directory", what_);
    return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  }

  /// Reads at most `size` bytes; 0 at the end of the file.
  [[nodiscard]] std::size_t read(char* to, std::size_t size) const {
    while (true) {
      const ::ssize_t count = ::read(descriptor_, to, size);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw unreadable(path_, errno, what_);
    }
  }

 private:
  const std::string& path_;
  const char* what_;
  int descriptor_;
};

}  // namespace

std::string shown_path(const std::string& path) { return path == kStandardInput ? "standard input" : path; }

void with_stream(const std::string& path, const char* what,
                 const std::function<void(std::istream&, const std::string&)>& read) {
  if (path == kStandardInput) {
    read(std::cin, shown_path(path));
    return;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw unreadable(path, errno, what);
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    throw InputError(path, "a directory", what);
  read(in, path);
}

FileContents read_file(const std::string& path, const char* what, std::size_t most_bytes) {
  const OpenFile file(path, what);
  const auto refuse = [&](const std::string& found) {
    throw InputError(shown_path(path), found, fmt::format("at most {}", count_text(most_bytes, "byte")));
  };
  if (file.size() > most_bytes) refuse(fmt::format("a file of {}", count_text(file.size(), "byte")));
  FileContents contents;
  // One byte more than expected, so that the end of the file is met before the buffer has to grow.
  std::size_t capacity = std::max<std::size_t>(file.size() + 1, 1 << 16);
  contents.bytes = std::make_unique_for_overwrite<char[]>(capacity);
  while (const std::size_t count = file.read(contents.bytes.get() + contents.size, capacity - contents.size)) {
    contents.size += count;
    if (contents.size > most_bytes) refuse(fmt::format("more than {}", count_text(most_bytes, "byte")));
    if (contents.size < capacity) continue;
    capacity = std::min(2 * capacity, most_bytes + 1);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(larger.get(), contents.bytes.get(), contents.size);
    contents.bytes = std::move(larger);
  }
  return contents;
}

}  // namespace sluice
