#pragma once

#include <cstdint>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

/// Reads a small part of XML, strictly, element by element: nothing is kept but the element at hand. There are no
/// entities, no document types, no CDATA and no text between elements; a declaration and comments are skipped.
namespace sluice::detail {

class XmlReader {
 public:
  enum class Event : std::uint8_t { kOpen, kClose, kEnd };

  /// `buffer` holds the text, perhaps after a byte order mark; `file` is its name for messages.
  XmlReader(std::streambuf* buffer, std::string file) : buffer_(buffer), file_(std::move(file)) {
    skip_if("\xef\xbb\xbf");
  }

  /// Goes to the next start or end of an element. An element without content, <a/>, is opened and then closed.
  [[nodiscard]] Event next();

  /// The name of the element at hand.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The number of elements that are open; the element at hand counts when it is opened.
  [[nodiscard]] std::size_t depth() const { return open_.size(); }
  /// The first line of the element at hand.
  [[nodiscard]] std::int64_t line() const { return event_line_; }

  /// The value of an attribute of the element at hand, or nullptr.
  [[nodiscard]] const std::string* find(std::string_view attribute) const;
  /// The value of an attribute. Throws InputError if there is none.
  [[nodiscard]] const std::string& text(std::string_view attribute) const;
  /// An integer from `least` to `most`. Throws InputError for anything else, and if there is none.
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t least, std::int64_t most) const;
  /// As above, but `otherwise` if there is no such attribute.
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t least, std::int64_t most,
                                     std::int64_t otherwise) const;

  /// Throws InputError at the element at hand.
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;

 private:
  struct Attribute {
    std::string name, value;
  };

  static constexpr int kEndOfText = -1;

  int peek();
  int take();
  void skip_blanks();
  bool skip_if(std::string_view text);
  void skip_past(std::string_view text, const char* what);
  std::string take_name(const char* what);
  void take_attributes();
  [[noreturn]] void fail_here(const std::string& found, const std::string& expected) const;

  std::streambuf* buffer_;
  std::string file_;
  std::int64_t line_ = 1;
  std::int64_t event_line_ = 1;
  std::string name_;
  std::vector<Attribute> attributes_;
  std::size_t attribute_count_ = 0;  ///< of the element at hand: texts keep their memory
  std::vector<std::string> open_;
  bool closes_itself_ = false;
  bool had_root_ = false;
};

}  // namespace sluice::detail
