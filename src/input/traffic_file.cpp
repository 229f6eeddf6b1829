#include "sluice/input/traffic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "sluice/error.hpp"

namespace sluice {
namespace {

/// The bytes of a file; not a string, which would write zeros first.
struct Contents {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;

  [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
};

InputError unreadable(const std::string& path, const std::string& reason) {
  return {path, fmt::format("a file that cannot be read ({})", reason), "a file of traffic"};
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw unreadable(path_, std::strerror(errno));
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// The size to expect; 0 where it is not known, as of a pipe.
  [[nodiscard]] std::size_t size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw unreadable(path_, std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw InputError(path_, "a directory", "a file of traffic");
    return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  }

  /// Reads at most `size` bytes; 0 at the end of the file.
  [[nodiscard]] std::size_t read(char* to, std::size_t size) const {
    while (true) {
      const ::ssize_t count = ::read(descriptor_, to, size);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw unreadable(path_, std::strerror(errno));
    }
  }

 private:
  const std::string& path_;
  int descriptor_;
};

Contents read_all(const std::string& path) {
  const OpenFile file(path);
  Contents contents;
  // One byte more than expected, so that the end of the file shows without growing.
  std::size_t capacity = std::max<std::size_t>(file.size() + 1, 1 << 16);
  contents.bytes = std::make_unique_for_overwrite<char[]>(capacity);
  while (const std::size_t count = file.read(contents.bytes.get() + contents.size, capacity - contents.size)) {
    contents.size += count;
    if (contents.size < capacity) continue;
    capacity *= 2;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(larger.get(), contents.bytes.get(), contents.size);
    contents.bytes = std::move(larger);
  }
  return contents;
}

/// Whether `path` ends in `extension`, which is in lower case, in any case.
bool has_extension(const std::string& path, std::string_view extension) {
  return path.size() > extension.size() &&
         std::equal(extension.rbegin(), extension.rend(), path.rbegin(), [](char wanted, char c) {
           return wanted == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
         });
}

}  // namespace

Traffic read_traffic(const std::string& path) {
  if (has_extension(path, ".mtx")) return read_matrix_market(read_all(path).text(), path);
  if (has_extension(path, ".csv")) return read_traffic_csv(read_all(path).text(), path);
  throw InputError(path, "a name with another extension", "a file of traffic, .mtx or .csv");
}

}  // namespace sluice
