#include "apps/sluice/output/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "apps/sluice/output/progress.hpp"
#include "sluice/error.hpp"
#include "sluice/write_file.hpp"

namespace sluice::command {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(path, "cannot be written: " + std::generic_category().message(error), "a file that can be written");
}

FilesTogether* waiting_files = nullptr;

/// Folders that this process made, the innermost first, and files that are not in their places yet. When it ends, by a
/// signal too, such files and empty folders are removed.
class Unfinished {
 public:
  static void add(const std::string& path) {
    if (count_ == kMost || path.size() >= paths_[count_].size()) return;
    std::copy(path.begin(), path.end(), paths_[count_].begin());
    watch();
    count_ = count_ + 1;
  }

  /// From now on; once is enough.
  static void watch() {
    if (watches_) return;
    watches_ = true;
    (void)std::atexit(remove_all);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction now {};
      if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
        continue;  // somebody else's, or ignored
      struct sigaction ours {};
      ours.sa_handler = end_by;
      (void)::sigaction(signal, &ours, nullptr);
    }
  }

  /// By what a handler of signals may call. unlink leaves folders, and rmdir those with anything in them.
  static void remove_all() {
    for (std::size_t i = 0; i < count_; ++i)
      if (::unlink(paths_[i].data()) != 0) (void)::rmdir(paths_[i].data());
  }

 private:
  static constexpr std::size_t kMost = 8;
  static constexpr std::size_t kLongest = 4096;

  static void end_by(int signal) {
    remove_all();
    // Not by SA_RESETHAND: a second signal, to another thread, would end the program before they are gone.
    struct sigaction own {};
    own.sa_handler = SIG_DFL;
    (void)::sigaction(signal, &own, nullptr);
    (void)::raise(signal);
  }

  static inline std::array<std::array<char, kLongest>, kMost> paths_{};
  static inline std::atomic<std::size_t> count_ = 0;
  static inline bool watches_ = false;
};

}  // namespace

void remove_unfinished() { Unfinished::remove_all(); }

void watch_unfinished() { Unfinished::watch(); }

FilesTogether::FilesTogether() { waiting_files = this; }

FilesTogether::~FilesTogether() { waiting_files = nullptr; }

void FilesTogether::add(const std::string& path, const std::string& content) {
  files_.emplace_back(path, content, Unfinished::add);
}

void FilesTogether::finish() {
  for (UnfinishedFile& each : files_) each.finish();
  files_.clear();
}

void print(const std::string& text) {
  clear_progress();
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE) fail("standard output", errno);
}

void write_file_atomically(const std::string& path, const std::string& content) {
  if (path == "-") return print(content);
  if (waiting_files != nullptr) return waiting_files->add(path, content);
  sluice::write_file_atomically(path, content);
}

void append_to_file(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::app);
  out << content;
  if (!out.flush()) throw InputError(path, "no more can be written", "a disk with room");
}

void check_writable(const std::string& path) {
  if (path == "-") return;
  std::error_code error;
  const std::filesystem::path target = std::filesystem::absolute(linked_path(path), error);
  if (std::filesystem::is_directory(target, error)) fail(path, EISDIR);
  // A device is written to as it is; a file is made anew, beside the old one.
  const bool is_device = std::filesystem::exists(target, error) && !std::filesystem::is_regular_file(target, error);
  if (!is_device && ::access(target.parent_path().c_str(), W_OK | X_OK) != 0) fail(path, errno);
  if (std::filesystem::exists(target, error) && ::access(target.c_str(), W_OK) != 0) fail(path, errno);
}

void check_json_target(const std::string& file) {
  if (!file.empty() && file != "-") check_writable(file);
}

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

void check_named_target(const std::string& option, const std::string& path, const char* kind, const char* ending) {
  if (path.empty()) return;
  constexpr std::array kKinds{".svg", ".png",  ".jpg", ".jpeg", ".gif", ".webp", ".bmp",
                              ".tif", ".tiff", ".pdf", ".ps",   ".eps", ".html", ".htm"};
  const std::string found = lower_extension(path);
  if (std::ranges::find(kKinds, found) != kKinds.end() && !std::string_view(ending).starts_with(found))
    throw InputError(option, "'" + path + "'", fmt::format("a name that ends in {}: {}", ending, kind));
  check_writable(path);
}

void check_picture_target(const std::string& option, const std::string& path) {
  check_named_target(option, path, "pictures are SVG; rsvg-convert makes PDF and PNG of it", ".svg");
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::vector<std::filesystem::path> missing;
  for (std::filesystem::path each = std::filesystem::absolute(path, error).lexically_normal();
       !error && each != each.parent_path() && !std::filesystem::exists(each, error); each = each.parent_path())
    if (each.has_filename()) missing.push_back(each);
  std::filesystem::create_directories(path, error);
  if (!error)
    for (const std::filesystem::path& each : missing) Unfinished::add(each.string());
  if (!error && !std::filesystem::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    throw InputError(path.empty() ? "''" : path, "no folder can be made there: " + error.message(), "a folder");
}

}  // namespace sluice::command
