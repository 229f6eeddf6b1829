#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <streambuf>
#include <string_view>
#include <vector>

/// Finds out what kind of file a JSON text is before it is read.
namespace sluice::detail {

/// The bytes of another buffer; bytes read before `rewind` are kept and come again after it.
class RewindBuffer : public std::streambuf {
 public:
  explicit RewindBuffer(std::streambuf* source) : source_(source) {}

  void rewind() {
    kept_ = false;
    rewind_and_keep();
  }
  /// What is read again is still kept.
  void rewind_and_keep() { setg(text_.data(), text_.data(), text_.data() + text_.size()); }

 protected:
  int_type underflow() override {
    constexpr std::size_t kChunk = 1 << 16;
    if (!kept_) text_.clear();
    const std::size_t before = text_.size();
    text_.resize(before + kChunk);
    const std::streamsize count = source_ == nullptr ? 0 : source_->sgetn(text_.data() + before, kChunk);
    text_.resize(before + static_cast<std::size_t>(count));
    setg(text_.data(), text_.data() + before, text_.data() + text_.size());
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(text_[before]);
  }

 private:
  std::streambuf* source_;
  std::vector<char> text_;
  bool kept_ = true;
};

/// What is done with the name of a field and its text; false to go no further.
using TextVisitor = std::function<bool(std::string_view, std::string_view)>;

/// Reads `in` through `buffer` as long as go_on(name, text) is true for the texts of the outermost object. Returns a
/// stream of all of it, bad if `in` is. `line`, if given, becomes the line of the last byte read ahead.
std::unique_ptr<std::istream> after_texts(std::istream& in, RewindBuffer& buffer, TextVisitor go_on,
                                          std::int64_t* line = nullptr);

}  // namespace sluice::detail
