#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/shown_text.hpp"
#include "schedule/foreign/lines.hpp"
#include "schedule/foreign/placed_builder.hpp"
#include "schedule/foreign/readers.hpp"
#include "schedule/foreign/recognise.hpp"

namespace sluice::detail {

namespace {

using namespace std::string_view_literals;

constexpr std::array<std::string_view, 16> kCalls{
    "barrier",   "bcast",      "reduce",        "allreduce", "alltoall", "alltoallv", "gather", "gatherv",
    "allgather", "allgatherv", "reducescatter", "scatter",   "scatterv", "scan",      "exscan", "alltoallw"};
constexpr std::array<std::string_view, 9> kLocalActions{"init",      "finalize", "compute",    "sleep",   "test",
                                                        "comm_size", "comm_dup", "comm_split", "location"};

class TraceReader {
 public:
  TraceReader(std::istream& in, const std::string& file) : lines_(in, file), builder_(file) {}

  PlacedSchedule read() {
    builder_.schedule.format = PlacedFormat::kTrace;
    builder_.schedule.exact_sizes = false;
    while (lines_.next()) {
      const std::vector<std::string_view> words = words_in(lines_.text());
      if (words.empty() || words.front().front() == '#') continue;
      take_line(words);
    }
    builder_.schedule.ranks = static_cast<std::int64_t>(ranks_.size());
    if (ranks_.empty()) lines_.fail("no action", "one at least");
    // Without tags: two numbers of each message, or a wait that does not name one.
    const bool tags = most_numbers_ > 2 && !bare_wait_;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) add_rank(static_cast<std::int64_t>(rank), tags);
    return builder_.finish(lines_.line());
  }

 private:
  enum class Action : std::uint8_t { kSend, kReceive, kStartSend, kStartReceive, kBoth, kWait, kWaitAll, kCall };

  struct Step {
    Action action = Action::kCall;
    std::uint8_t count = 0;  ///< of numbers
    std::int32_t line = 0;
    std::array<std::int64_t, 4> numbers{};  ///< of kCall: the number of the name
  };

  void take_line(const std::vector<std::string_view>& words) {
    const auto rank = trace_rank(words.front());
    if (!rank) lines_.fail(fmt::format("`{}`", shown(words.front())), "a rank");
    if (words.size() < 2) lines_.fail(fmt::format("rank {} alone", *rank), "RANK ACTION ARGUMENTS");
    std::string name;
    for (const char c : words[1]) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (ranks_.size() <= static_cast<std::size_t>(*rank)) ranks_.resize(static_cast<std::size_t>(*rank) + 1);
    if (std::find(kLocalActions.begin(), kLocalActions.end(), name) != kLocalActions.end()) return;
    Step step;
    step.line = static_cast<std::int32_t>(lines_.line());
    if (const auto* call = std::find(kCalls.begin(), kCalls.end(), name); call != kCalls.end()) {
      step.numbers[0] = call - kCalls.begin();
      add(*rank, step);
      return;
    }
    static constexpr std::array kActions{
        std::pair("send"sv, Action::kSend),       std::pair("recv"sv, Action::kReceive),
        std::pair("isend"sv, Action::kStartSend), std::pair("irecv"sv, Action::kStartReceive),
        std::pair("sendrecv"sv, Action::kBoth),   std::pair("wait"sv, Action::kWait),
        std::pair("waitall"sv, Action::kWaitAll)};
    const auto* const action =
        std::find_if(kActions.begin(), kActions.end(), [&](const auto& each) { return each.first == name; });
    if (action == kActions.end()) lines_.fail(fmt::format("action {}", shown(words[1])), "an action of SMPI's replay");
    step.action = action->second;
    for (std::size_t i = 2; i < words.size() && step.count < step.numbers.size(); ++i)
      step.numbers[step.count++] = number(words[i]);
    if (step.action == Action::kWait) bare_wait_ = bare_wait_ || step.count < 3;
    if (step.action < Action::kBoth) {
      if (step.count < 2) lines_.fail(fmt::format("{} with {} numbers", name, step.count), "a rank and a size");
      most_numbers_ = std::max<std::int64_t>(most_numbers_, step.count);
    }
    if (step.action == Action::kBoth && step.count < 4)
      lines_.fail("sendrecv of less than 4 numbers", "sizes and ranks");
    add(*rank, step);
  }

  void add(std::int64_t rank, const Step& step) {
    if (++steps_ * 2 > kMostPlacedOperations)
      lines_.fail(fmt::format("action {}", steps_), fmt::format("at most {}", kMostPlacedOperations / 2));
    ranks_[static_cast<std::size_t>(rank)].push_back(step);
  }

  std::int64_t number(std::string_view text) const {
    constexpr double kMost = 4e18;
    char* end = nullptr;
    const std::string copy(text);
    const double value = std::strtod(copy.c_str(), &end);
    if (end != copy.c_str() + copy.size() || !(value >= -1 && value <= kMost))
      lines_.fail(shown(text), "a number from -1 to 4e18");
    return static_cast<std::int64_t>(value);
  }

  struct Message {
    std::int64_t peer, tag, bytes;
  };

  Message message_of(const Step& step, bool tags) const {
    const Message message{step.numbers[0], tags ? step.numbers[1] : 0, step.numbers[tags ? 2 : 1]};
    check_peer(message.peer, step.line);
    if (message.bytes < 0) builder_.fail(step.line, fmt::format("{} bytes", message.bytes), "0 at least");
    return message;
  }
  void check_peer(std::int64_t peer, std::int64_t line) const {
    if (peer < 0 || peer >= static_cast<std::int64_t>(ranks_.size()))
      builder_.fail(line, fmt::format("rank {}", peer), fmt::format("a rank from 0 to {}", ranks_.size() - 1));
  }

  void add_message(std::int64_t rank, bool sends, const Message& message, std::int64_t line, bool detached) {
    const std::int32_t number = numbers_++;
    PlacedOperation& added =
        builder_.add(sends ? PlacedOperation::Kind::kSend : PlacedOperation::Kind::kReceive, number, line);
    added.amount = message.bytes;
    added.tells = added.detached = detached;
    if (sends)
      added.sends = builder_.connection(rank, message.peer, message.tag);
    else
      added.receives = builder_.connection(message.peer, rank, message.tag);
  }

  /// A message that goes on while its rank does something else.
  void start(std::int64_t rank, std::int32_t worker, bool sends, const Message& message, std::int64_t line) {
    builder_.add(PlacedOperation::Kind::kNothing, numbers_++, line).tells = true;
    add_message(rank, sends, message, line, true);
    builder_.wait({worker, 0, numbers_ - 2});
    open_.push_back({sends ? rank : message.peer, sends ? message.peer : rank, message.tag, numbers_ - 1});
  }

  void wait_for(std::int32_t worker, std::size_t first, std::size_t last, std::int64_t line) {
    builder_.add(PlacedOperation::Kind::kNothing, numbers_++, line);
    for (std::size_t i = first; i < last; ++i) builder_.wait({worker, 0, open_[i].number});
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.begin() + static_cast<std::ptrdiff_t>(last));
  }

  void add_rank(std::int64_t rank, bool tags) {
    const auto worker = static_cast<std::int32_t>(builder_.schedule.workers.size());
    builder_.add_worker(rank, 0, 0);
    numbers_ = 0;
    open_.clear();
    for (const Step& step : ranks_[static_cast<std::size_t>(rank)]) {
      switch (step.action) {
        case Action::kSend:
        case Action::kReceive:
          add_message(rank, step.action == Action::kSend, message_of(step, tags), step.line, false);
          break;
        case Action::kStartSend:
        case Action::kStartReceive:
          start(rank, worker, step.action == Action::kStartSend, message_of(step, tags), step.line);
          break;
        case Action::kBoth: {
          const std::size_t before = open_.size();
          check_peer(step.numbers[1], step.line);
          check_peer(step.numbers[3], step.line);
          start(rank, worker, true, {step.numbers[1], 0, step.numbers[0]}, step.line);
          start(rank, worker, false, {step.numbers[3], 0, step.numbers[2]}, step.line);
          wait_for(worker, before, open_.size(), step.line);
          break;
        }
        case Action::kWait:
          add_wait(worker, step);
          break;
        case Action::kWaitAll:
          wait_for(worker, 0, open_.size(), step.line);
          break;
        case Action::kCall:
          add_call(step);
          break;
      }
    }
    ranks_[static_cast<std::size_t>(rank)] = {};
    ranks_[static_cast<std::size_t>(rank)].shrink_to_fit();
  }

  void add_wait(std::int32_t worker, const Step& step) {
    std::size_t which = open_.size();
    if (step.count >= 3) {
      for (std::size_t i = open_.size(); i-- > 0;) {
        const Open& each = open_[i];
        if (each.from == step.numbers[0] && each.to == step.numbers[1] && each.tag == step.numbers[2]) which = i;
      }
    } else if (which > 0) {
      --which;  // the last one
    }
    if (which == open_.size())
      builder_.fail(step.line, "a wait for a message that is not under way", "isend or irecv before");
    wait_for(worker, which, which + 1, step.line);
  }

  void add_call(const Step& step) {
    const auto [place, added] = calls_.try_emplace(step.numbers[0], 0);
    if (added)
      place->second = builder_.add_queue({fmt::format("calls of {}", kCalls[static_cast<std::size_t>(step.numbers[0])]),
                                          0, static_cast<std::int64_t>(ranks_.size()), true});
    builder_.add(PlacedOperation::Kind::kSync, numbers_++, step.line);
    builder_.signal(PlacedSignal::Kind::kMeet, place->second);
  }

  struct Open {
    std::int64_t from, to, tag;
    std::int32_t number;
  };

  TextLines lines_;
  PlacedBuilder builder_;
  std::vector<std::vector<Step>> ranks_;
  std::int64_t steps_ = 0, most_numbers_ = 0;
  bool bare_wait_ = false;
  std::map<std::int64_t, std::int32_t> calls_;
  // The rank at hand.
  std::vector<Open> open_;
  std::int32_t numbers_ = 0;
};

}  // namespace

PlacedSchedule read_trace(std::istream& in, const std::string& file) { return TraceReader(in, file).read(); }

}  // namespace sluice::detail
