#include "schedule/foreign/xml_reader.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "input/shown_text.hpp"
#include "schedule/foreign/lines.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kLongestXmlText = 4096;  ///< of a name or a value
constexpr std::size_t kMostXmlAttributes = 64;
constexpr std::size_t kDeepestXml = 64;

bool is_xml_blank(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool in_xml_name(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == ':' || c >= 0x80;
}

std::string shown_character(int c) {
  return c < 0 ? "the end of the file" : shown(std::string(1, static_cast<char>(c)));
}

}  // namespace

int XmlReader::peek() {
  const auto c = buffer_ == nullptr ? std::streambuf::traits_type::eof() : buffer_->sgetc();
  return c == std::streambuf::traits_type::eof() ? kEndOfText : c;
}

int XmlReader::take() {
  const int c = peek();
  if (c == kEndOfText) return c;
  buffer_->sbumpc();
  if (c == '\n') ++line_;
  if (c == 0) fail_here("a byte of zero", "text");
  return c;
}

void XmlReader::skip_blanks() {
  while (is_xml_blank(peek())) take();
}

bool XmlReader::skip_if(std::string_view text) {
  if (peek() != static_cast<unsigned char>(text.front())) return false;
  for (const char c : text) {
    if (const int found = take(); found != static_cast<unsigned char>(c))
      fail_here(shown_character(found), fmt::format("\"{}\"", text));
  }
  return true;
}

void XmlReader::skip_past(std::string_view text, const char* what) {
  std::size_t matched = 0;
  while (matched < text.size()) {
    const int c = take();
    if (c == kEndOfText) fail_here("the end of the file", fmt::format("\"{}\" after {}", text, what));
    if (c == text[matched])
      ++matched;
    else if (matched == text.size() - 1 && matched >= 2 && c == text[matched - 1])
      ;  // "--->": one more of the same still precedes the end
    else
      matched = c == text.front() ? 1 : 0;
  }
}

std::string XmlReader::take_name(const char* what) {
  std::string name;
  while (in_xml_name(peek())) {
    name += static_cast<char>(take());
    if (name.size() > kLongestXmlText) fail_here("a name of more than 4096 bytes", what);
  }
  if (name.empty()) fail_here(shown_character(peek()), what);
  return name;
}

void XmlReader::take_attributes() {
  attribute_count_ = 0;
  while (true) {
    const bool apart = is_xml_blank(peek());
    skip_blanks();
    const int c = peek();
    if (c == '>' || c == '/' || c == '?') return;
    if (!apart) fail_here(shown_character(c), "a blank, \"/>\" or \">\"");
    std::string name = take_name("an attribute, \"/>\" or \">\"");
    if (peek() == kEndOfText) fail_here("the end of the file", "the rest of an element");
    for (std::size_t i = 0; i < attribute_count_; ++i) {
      if (attributes_[i].name == name) fail_here(fmt::format("\"{}\" twice", shown(name)), "an attribute once");
    }
    if (attribute_count_ == kMostXmlAttributes) fail_here("65 attributes", "at most 64 of an element");
    skip_blanks();
    if (!skip_if("=")) fail_here(shown_character(peek()), fmt::format("\"=\" after {}", shown(name)));
    skip_blanks();
    const int quote = take();
    if (quote != '"' && quote != '\'') fail_here(shown_character(quote), "a value in quotation marks");
    if (attribute_count_ == attributes_.size()) attributes_.emplace_back();
    Attribute& attribute = attributes_[attribute_count_++];
    attribute.name = std::move(name);
    attribute.value.clear();
    for (int each = take(); each != quote; each = take()) {
      if (each == kEndOfText) fail_here("the end of the file", "the end of a value");
      if (each == '&') fail_here("\"&\"", "no entities");
      if (each == '<') fail_here("\"<\"", "the end of a value");
      attribute.value += static_cast<char>(each);
      if (attribute.value.size() > kLongestXmlText) fail_here("a value of more than 4096 bytes", "a shorter one");
    }
  }
}

XmlReader::Event XmlReader::next() {
  if (closes_itself_) {
    closes_itself_ = false;
    name_ = open_.back();
    open_.pop_back();
    return Event::kClose;
  }
  while (true) {
    skip_blanks();
    event_line_ = line_;
    const int c = peek();
    if (c == kEndOfText) {
      if (!open_.empty()) fail_here("the end of the file", fmt::format("</{}>", shown(open_.back())));
      if (!had_root_) fail_here("the end of the file", "an element");
      return Event::kEnd;
    }
    if (c == '&') fail_here("\"&\"", "no entities");
    if (c != '<') fail_here(shown_character(c), "\"<\": there is no text between elements");
    take();
    if (peek() == '!') {
      take();
      if (peek() != '-') fail_here("\"<!\"", "a comment: no document types, entities or CDATA");
      skip_if("--");
      skip_past("-->", "a comment");
      continue;
    }
    if (peek() == '?') {
      take();
      if (had_root_) fail_here("\"<?\"", "a declaration only before the first element");
      skip_past("?>", "a declaration");
      continue;
    }
    if (skip_if("/")) {
      name_ = take_name("the name of an element");
      skip_blanks();
      if (!skip_if(">")) fail_here(shown_character(peek()), "\">\"");
      if (open_.empty() || open_.back() != name_)
        fail_here(fmt::format("</{}>", shown(name_)),
                  open_.empty() ? "no element to end" : fmt::format("</{}>", shown(open_.back())));
      open_.pop_back();
      return Event::kClose;
    }
    name_ = take_name("the name of an element");
    if (open_.empty() && had_root_)
      fail(fmt::format("a second element, <{}>", shown(name_)), "one for a file, and its end");
    had_root_ = true;
    take_attributes();
    if (skip_if("/")) closes_itself_ = true;
    if (!skip_if(">")) fail_here(shown_character(peek()), "\">\"");
    if (open_.size() == kDeepestXml) fail_here("65 elements inside each other", "at most 64");
    open_.push_back(name_);
    return Event::kOpen;
  }
}

const std::string* XmlReader::find(std::string_view attribute) const {
  for (std::size_t i = 0; i < attribute_count_; ++i) {
    if (attributes_[i].name == attribute) return &attributes_[i].value;
  }
  return nullptr;
}

const std::string& XmlReader::text(std::string_view attribute) const {
  const std::string* value = find(attribute);
  if (value == nullptr) fail(fmt::format("<{}> without \"{}\"", shown(name_), attribute), "that attribute");
  return *value;
}

std::int64_t XmlReader::integer(std::string_view attribute, std::int64_t least, std::int64_t most) const {
  const std::string& value = text(attribute);
  const std::optional<std::int64_t> result = whole_number(value, least, most);
  if (!result)
    fail(fmt::format("{}=\"{}\"", attribute, shown(value)), fmt::format("an integer from {} to {}", least, most));
  return *result;
}

std::int64_t XmlReader::integer(std::string_view attribute, std::int64_t least, std::int64_t most,
                                std::int64_t otherwise) const {
  return find(attribute) == nullptr ? otherwise : integer(attribute, least, most);
}

void XmlReader::fail(const std::string& found, const std::string& expected) const {
  throw InputError(fmt::format("{}:{}", file_, event_line_), found, expected);
}

void XmlReader::fail_here(const std::string& found, const std::string& expected) const {
  throw InputError(fmt::format("{}:{}", file_, line_), found, expected);
}

}  // namespace sluice::detail
