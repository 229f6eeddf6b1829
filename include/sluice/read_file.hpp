#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace sluice {

/// The bytes of a file; not a string, which would write zeros first.
struct FileContents {
  std::unique_ptr<char[]> bytes;  ///< `size` of them
  std::size_t size = 0;           ///< of the file, in bytes

  /// Returns all of it, for as long as this object lives.
  [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
};

/// Returns the path that stands for standard input.
inline constexpr const char* kStandardInput = "-";

/// `path` as messages name it: "standard input" for "-".
[[nodiscard]] std::string shown_path(const std::string& path);

/// Reads a file, a pipe or a device whole, or standard input for "-". Throws InputError naming `path` if it cannot be
/// read, or has more than `most_bytes`; `what` is expected there: "a file of traffic".
[[nodiscard]] FileContents read_file(const std::string& path, const char* what,
                                     std::size_t most_bytes = std::numeric_limits<std::size_t>::max() / 4);

/// Opens a file, or takes standard input for "-", and calls read(stream, the path as messages name it). Throws
/// InputError naming `path` if it cannot be opened or is a directory; `what` is expected there: "a platform".
void with_stream(const std::string& path, const char* what,
                 const std::function<void(std::istream&, const std::string&)>& read);

}  // namespace sluice
