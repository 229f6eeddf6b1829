#include "sluice/schedule/any_schedule.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <vector>

#include "input/shown_text.hpp"
#include "input/strict_json.hpp"
#include "schedule/schedule_schema.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/tree_json.hpp"

namespace sluice {
namespace {

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

/// The events of the parser up to the text of the outermost "type", or the "schema" of a program; whatever is wrong
/// before it is for the reader of the schedule to say.
class TypeFinder {
 public:
  [[nodiscard]] const std::string& type() const { return type_; }
  [[nodiscard]] bool is_program() const { return is_program_; }

  bool null() { return scalar(); }
  bool boolean(bool) { return scalar(); }
  bool number_integer(std::int64_t) { return scalar(); }
  bool number_unsigned(std::uint64_t) { return scalar(); }
  bool number_float(double, const std::string&) { return scalar(); }
  bool string(std::string& value) {
    if (is_type_) {
      type_ = std::move(value);
      return false;
    }
    is_program_ = is_schema_ && value == detail::kProgramSchema;
    return !is_program_ && scalar();
  }
  bool binary(const std::vector<std::uint8_t>&) { return false; }
  bool key(const std::string& name) {
    is_type_ = depth_ == 1 && name == "type";
    is_schema_ = depth_ == 1 && name == "schema";
    return true;
  }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return depth_ > 0 && open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  template <class Error>
  bool parse_error(std::size_t, const std::string&, const Error&) {
    return false;
  }

 private:
  [[nodiscard]] bool scalar() const { return depth_ > 0 && !is_type_; }
  bool open() {
    constexpr int kDeepest = 8;  // deeper than any schedule
    return ++depth_ <= kDeepest && !is_type_;
  }
  bool close() { return --depth_ > 0; }

  std::string type_;
  int depth_ = 0;
  bool is_type_ = false;
  bool is_schema_ = false;
  bool is_program_ = false;
};

}  // namespace

AnySchedule read_any_schedule(std::istream& in, const std::string& file) {
  RewindBuffer buffer(in ? in.rdbuf() : nullptr);
  std::istream again(&buffer);
  if (!in) again.setstate(std::ios_base::badbit);
  detail::JsonSource source(&buffer);
  TypeFinder finder;
  try {
    nlohmann::json::sax_parse(detail::JsonBytes(&source), detail::JsonBytes(), &finder);
  } catch (const std::ios_base::failure&) {
    again.setstate(std::ios_base::badbit);
  }
  buffer.rewind();
  if (finder.is_program()) return read_program(again, file);
  if (finder.type() == "tree") return read_tree_schedule(again, file);
  if (!finder.type().empty() && finder.type() != "steps")
    throw InputError(fmt::format("{}:{}", file, source.line()),
                     fmt::format("\"type\": \"{}\"", detail::shown(finder.type())), R"("steps" or "tree")");
  return read_schedule(again, file);
}

}  // namespace sluice
