#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace sluice {

/// Holds the bytes of a file; a string would write zeros first.
struct FileContents {
  std::unique_ptr<char[]> bytes;  ///< `size` bytes
  std::size_t size = 0;           ///< size of the file in bytes

  /// Returns all of the file as text, valid as long as this object.
  [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
};

/// Stands for standard input in place of a path.
inline constexpr const char* kStandardInput = "-";

/// Returns `path` as messages name it: "standard input" for "-".
[[nodiscard]] std::string shown_path(const std::string& path);

/// Reads a whole file, pipe or device, or standard input.
///
///  - `path`: "-" is standard input
///  - `what`: the expected content, for messages: "a file of traffic"
///  - `most_bytes`: limit of the size
///
/// Throws InputError naming `path` if it cannot be read, or has more than `most_bytes`.
[[nodiscard]] FileContents read_file(const std::string& path, const char* what,
                                     std::size_t most_bytes = std::numeric_limits<std::size_t>::max() / 4);

/// Opens a file or standard input, and passes it to `read`.
///
///  - `path`: "-" is standard input
///  - `what`: the expected content, for messages: "a platform"
///  - `read`: called with the stream, and with the path as messages name it
///
/// Throws InputError naming `path` if it cannot be opened or is a directory.
void with_stream(const std::string& path, const char* what,
                 const std::function<void(std::istream&, const std::string&)>& read);

}  // namespace sluice
