#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "input/shown_text.hpp"
#include "schedule/foreign/comment_collective.hpp"
#include "schedule/foreign/lines.hpp"
#include "schedule/foreign/placed_builder.hpp"
#include "schedule/foreign/readers.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kLargestGoalNumber = std::int64_t{1} << 62;

/// The words of GOAL, with their lines. Comments are skipped; the first one may say which collective it is.
class GoalWords {
 public:
  GoalWords(std::istream& in, const std::string& file, PlacedBuilder& builder) : lines_(in, file), builder_(builder) {
    advance();
  }

  /// The next word; empty at the end. A colon and braces are words of their own.
  [[nodiscard]] const std::string& word() const { return word_; }
  [[nodiscard]] std::int64_t line() const { return word_line_; }

  void advance() {
    word_.clear();
    while (true) {
      while (at_ >= lines_.text().size()) {
        if (!lines_.next()) {
          if (in_comment_) lines_.fail("the end of the file", "the end of a comment");
          word_line_ = lines_.line();
          return;
        }
        at_ = 0;
      }
      if (!skip()) break;
    }
    word_line_ = lines_.line();
    const std::string_view text = lines_.text();
    if (is_mark(text[at_])) {
      word_ = text[at_++];
      return;
    }
    while (at_ < text.size() && !is_mark(text[at_]) && !is_blank(text[at_]) && !starts_comment()) word_ += text[at_++];
  }

  std::string take() {
    std::string taken = std::move(word_);
    advance();
    return taken;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    builder_.fail(word_line_, word_.empty() ? "the end of the file" : fmt::format("`{}`", shown(word_)), expected);
  }

 private:
  static bool is_mark(char c) { return c == ':' || c == '{' || c == '}'; }
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  [[nodiscard]] bool starts_comment() const {
    const std::string_view rest = lines_.text().substr(at_);
    return rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with("#");
  }

  /// Skips a blank or a comment; false if a word is here.
  bool skip() {
    const std::string_view text = lines_.text();
    if (in_comment_) {
      const std::size_t end = text.find("*/", at_);
      in_comment_ = end == std::string_view::npos;
      at_ = in_comment_ ? text.size() : end + 2;
      return true;
    }
    if (is_blank(text[at_])) {
      ++at_;
      return true;
    }
    if (!starts_comment()) return false;
    const std::string_view rest = text.substr(at_);
    const std::size_t mark = rest.front() == '#' ? 1 : 2;
    if (builder_.schedule.ranks == 0 && !builder_.schedule.problem)
      take_comment_collective(rest.substr(mark), builder_);
    in_comment_ = rest.starts_with("/*");
    at_ = in_comment_ ? at_ + mark : text.size();
    return true;
  }

  TextLines lines_;
  PlacedBuilder& builder_;
  std::size_t at_ = 0;
  bool in_comment_ = false;
  std::string word_;
  std::int64_t word_line_ = 1;
};

class GoalReader {
 public:
  GoalReader(std::istream& in, const std::string& file) : builder_(file), words_(in, file, builder_) {}

  PlacedSchedule read() {
    PlacedSchedule& to = builder_.schedule;
    to.format = PlacedFormat::kGoal;
    expect("num_ranks");
    to.ranks = number("a number of ranks", 1, kMostPlacedRanks);
    std::vector<std::int64_t> lines(static_cast<std::size_t>(to.ranks), 0);
    while (!words_.word().empty()) {
      const std::int64_t line = words_.line();
      expect("rank");
      const std::int64_t rank = number("a rank", 0, to.ranks - 1);
      std::int64_t& before = lines[static_cast<std::size_t>(rank)];
      if (before != 0) builder_.fail(line, fmt::format("rank {} again, after line {}", rank, before), "each rank once");
      before = line;
      expect("{");
      read_rank(rank, line);
    }
    if (to.root && *to.root >= to.ranks) to.root.reset();
    return builder_.finish(words_.line());
  }

 private:
  struct Step {
    PlacedOperation::Kind kind = PlacedOperation::Kind::kNothing;
    std::int32_t peer = -1;
    std::int64_t bytes = 0, tag = 0, line = 0;
    bool has_start = false;                             ///< somebody waits for its start
    std::int32_t start = 0, end = 0;                    ///< numbers of its start and end
    std::vector<std::pair<std::uint32_t, bool>> needs;  ///< what comes before it; true: only its start
  };

  void expect(const char* word) {
    if (words_.word() != word) words_.fail(fmt::format("\"{}\"", word));
    words_.advance();
  }

  std::int64_t number(const char* what, std::int64_t least, std::int64_t most, bool bytes = false) {
    std::string_view text = words_.word();
    if (bytes && text.ends_with('b')) text.remove_suffix(1);
    const auto value = whole_number(text, least, most);
    if (!value) words_.fail(fmt::format("{} from {} to {}", what, least, most));
    words_.advance();
    return *value;
  }

  static bool is_action(std::string_view word) { return word == "send" || word == "recv" || word == "calc"; }

  void read_rank(std::int64_t rank, std::int64_t line) {
    steps_.clear();
    labels_.clear();
    uses_.clear();
    while (words_.word() != "}") {
      if (words_.word().empty()) words_.fail("\"}\"");
      const std::int64_t at = words_.line();
      std::string first = words_.take();
      if (words_.word() == ":") {
        words_.advance();
        if (!labels_.try_emplace(first, static_cast<std::uint32_t>(steps_.size())).second)
          builder_.fail(at, fmt::format("label {} again in rank {}", shown(first), rank), "each label once");
        read_action(words_.take(), rank, at);
      } else if (words_.word() == "requires" || words_.word() == "irequires") {
        const bool start = words_.take() == "irequires";
        uses_.push_back({std::move(first), words_.word(), at, start});
        if (words_.word().empty() || words_.word() == "}") words_.fail("a label");
        words_.advance();
      } else {
        read_action(first, rank, at);
      }
    }
    words_.advance();
    for (const Use& use : uses_) {
      Step& step = steps_[label(use.step, use.line)];
      const std::uint32_t needed = label(use.needs, use.line);
      step.needs.emplace_back(needed, use.only_start);
      if (use.only_start) steps_[needed].has_start = true;
    }
    add_rank(rank, line);
  }

  std::uint32_t label(const std::string& name, std::int64_t line) const {
    const auto found = labels_.find(name);
    if (found == labels_.end()) builder_.fail(line, fmt::format("label {}", shown(name)), "a label of this rank");
    return found->second;
  }

  void read_action(const std::string& action, std::int64_t rank, std::int64_t line) {
    if (!is_action(action))
      builder_.fail(line, fmt::format("`{}`", shown(action)), "send, recv, calc, a label, requires or irequires");
    Step step;
    step.line = line;
    if (action == "calc") {
      (void)number("a time", 0, kLargestGoalNumber);
    } else {
      step.kind = action == "send" ? PlacedOperation::Kind::kSend : PlacedOperation::Kind::kReceive;
      step.bytes = number("a number of bytes", 0, kLargestGoalNumber, true);
      expect(action == "send" ? "to" : "from");
      step.peer = static_cast<std::int32_t>(number("a rank", 0, builder_.schedule.ranks - 1));
      if (step.peer == rank) builder_.fail(line, fmt::format("a message from rank {} to itself", rank), "two ranks");
    }
    while (words_.word() == "tag" || words_.word() == "cpu" || words_.word() == "nic") {
      const bool tag = words_.take() == "tag";
      const std::int64_t value = number("a number", 0, kMostPlacedChannel);
      if (tag) step.tag = value;
    }
    if (static_cast<std::int64_t>(steps_.size()) >= kMostPlacedOperations)
      builder_.fail(line, fmt::format("operation {}", steps_.size() + 1),
                    fmt::format("at most {}", kMostPlacedOperations));
    steps_.push_back(std::move(step));
  }

  void add_rank(std::int64_t rank, std::int64_t line) {
    const auto worker = static_cast<std::int32_t>(builder_.schedule.workers.size());
    builder_.add_worker(rank, 0, line);
    std::int32_t numbers = 0;
    for (Step& step : steps_) {
      step.start = numbers;
      numbers += step.has_start ? 1 : 0;
      step.end = numbers++;
    }
    for (const Step& step : steps_) {
      const auto add_needs = [&] {
        for (const auto& [needed, only_start] : step.needs)
          builder_.wait({worker, 0, only_start ? steps_[needed].start : steps_[needed].end});
      };
      if (step.has_start) {
        PlacedOperation& start = builder_.add(PlacedOperation::Kind::kNothing, step.start, step.line);
        start.detached = start.tells = true;
        add_needs();
      }
      PlacedOperation& added = builder_.add(step.kind, step.end, step.line);
      added.detached = added.tells = true;
      added.amount = step.bytes;
      const auto from = step.kind == PlacedOperation::Kind::kSend ? rank : step.peer;
      const auto to = step.kind == PlacedOperation::Kind::kSend ? step.peer : rank;
      if (step.kind == PlacedOperation::Kind::kSend) added.sends = builder_.connection(from, to, step.tag);
      if (step.kind == PlacedOperation::Kind::kReceive) added.receives = builder_.connection(from, to, step.tag);
      if (step.has_start)
        builder_.wait({worker, 0, step.start});
      else
        add_needs();
    }
  }

  struct Use {
    std::string step, needs;
    std::int64_t line = 0;
    bool only_start = false;
  };

  PlacedBuilder builder_;
  GoalWords words_;
  // The rank at hand.
  std::vector<Step> steps_;
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::vector<Use> uses_;
};

}  // namespace

PlacedSchedule read_goal(std::istream& in, const std::string& file) { return GoalReader(in, file).read(); }

}  // namespace sluice::detail
