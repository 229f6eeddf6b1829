#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ios>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/strict_json.hpp"

/// Finds out what kind of file a JSON text is before it is read.
namespace sluice::detail {

/// The bytes of another buffer; those read before `rewind` are kept and come again after it.
class RewindBuffer : public std::streambuf {
 public:
  explicit RewindBuffer(std::streambuf* source) : source_(source) {}

  void rewind() {
    kept_ = false;
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

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

/// The texts of the outermost object, in order, until `go_on` returns false. Faults before that are left to the reader
/// of the file.
class OutermostTexts {
 public:
  /// `go_on(name, text)`.
  using GoOn = std::function<bool(std::string_view, std::string_view)>;

  explicit OutermostTexts(GoOn go_on) : go_on_(std::move(go_on)) {}

  bool null() { return depth_ > 0; }
  bool boolean(bool) { return depth_ > 0; }
  bool number_integer(std::int64_t) { return depth_ > 0; }
  bool number_unsigned(std::uint64_t) { return depth_ > 0; }
  bool number_float(double, const std::string&) { return depth_ > 0; }
  bool string(std::string& value) { return depth_ > 1 || (depth_ == 1 && go_on_(name_, value)); }
  bool binary(const std::vector<std::uint8_t>&) { return false; }
  bool key(const std::string& name) {
    if (depth_ == 1) name_ = name;
    return true;
  }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return depth_ > 0 && open(); }
  bool end_object() { return --depth_ > 0; }
  bool end_array() { return --depth_ > 0; }
  template <class Error>
  bool parse_error(std::size_t, const std::string&, const Error&) {
    return false;
  }

 private:
  bool open() {
    constexpr int kDeepest = 1000;  // deeper than any file of ours
    return ++depth_ <= kDeepest;
  }

  GoOn go_on_;
  std::string name_;
  int depth_ = 0;
};

/// Reads `in`, which `buffer` passes on, as long as go_on(name, text) of the texts of the outermost object is true.
/// Returns a stream of all of it, bad if `in` is. `line`, if given, becomes that of the last byte read ahead.
inline std::unique_ptr<std::istream> after_texts(std::istream& in, RewindBuffer& buffer, OutermostTexts::GoOn go_on,
                                                 std::int64_t* line = nullptr) {
  auto again = std::make_unique<std::istream>(&buffer);
  if (!in) again->setstate(std::ios_base::badbit);
  JsonSource source(&buffer);
  OutermostTexts texts(std::move(go_on));
  try {
    nlohmann::json::sax_parse(JsonBytes(&source), JsonBytes(), &texts);
  } catch (const std::ios_base::failure&) {  // a directory, a broken disk
    again->setstate(std::ios_base::badbit);
  }
  if (line != nullptr) *line = source.line();
  buffer.rewind();
  return again;
}

}  // namespace sluice::detail
