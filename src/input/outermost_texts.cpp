#include "input/outermost_texts.hpp"

#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/json_bytes.hpp"
#include "input/strict_json.hpp"

namespace sluice::detail {

namespace {

/// The texts of the outermost object, in order, until `go_on` returns false. Faults before that are left to the reader
/// of the file.
class OutermostTexts {
 public:
  explicit OutermostTexts(TextVisitor go_on) : go_on_(std::move(go_on)) {}

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

  TextVisitor go_on_;
  std::string name_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<std::istream> after_texts(std::istream& in, RewindBuffer& buffer, TextVisitor go_on,
                                          std::int64_t* line) {
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
