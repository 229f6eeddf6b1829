/// sluice-simgrid REQUEST TIMES: runs messages on a machine that SimGrid simulates (its S4U interface, versions 3.32 to
/// 4.0), for `sluice simulate --engine simgrid`.
///
/// Each message is a communication between two hosts of the platform (Comm::sendto), begun when all it waits for have
/// ended. There are no actors, so a message costs no more than its flow. A message takes the latency of its route, and
/// flows share links as TCP connections do (model CM02 with SMPI's weights, 8775 bytes). Control messages, including
/// fences', take only the latency.
///
/// On standard output: how many messages have ended, a line for every 200th of them all.
///
/// Errors: "error: WHERE: ..." on standard error and exit status 2. SimGrid itself ends the process with a text of its
/// own if a platform is broken.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/error.hpp"
#include "timing/piece_windows.hpp"
#include "timing/simgrid_request.hpp"

namespace sluice::detail {
namespace {

namespace s4u = simgrid::s4u;

/// SimGrid 4 calls start() what SimGrid 3.32 calls vetoable_start().
template <class Comm>
void start_comm(Comm& comm) {
  if constexpr (requires { comm.vetoable_start(); })
    comm.vetoable_start();
  else
    comm.start();
}

/// "h9" before "h10": runs of digits by their value.
bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto digits = [&](std::string_view& text) {
    std::size_t length = 0;
    while (length < text.size() && digit(text[length])) ++length;
    std::string_view run = text.substr(0, length);
    text.remove_prefix(length);
    run.remove_prefix(std::min(run.find_first_not_of('0'), run.size()));
    return run;
  };
  while (!a.empty() && !b.empty()) {
    if (digit(a.front()) && digit(b.front())) {
      const std::string_view left = digits(a), right = digits(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

/// The value of an attribute of a tag of XML; "" without it.
std::string attribute(std::string_view tag, const std::string& name) {
  for (std::size_t at = tag.find(name); at != tag.npos; at = tag.find(name, at + 1)) {
    const std::size_t equals = tag.find_first_not_of(" \t\r\n", at + name.size());
    const bool starts = std::isspace(static_cast<unsigned char>(tag[at - 1])) != 0;  // the name of the tag is before it
    if (!starts || equals == tag.npos || tag[equals] != '=') continue;
    const std::size_t quote = tag.find_first_of("\"'", equals);
    if (quote == tag.npos) return {};
    return std::string(tag.substr(quote + 1, tag.find(tag[quote], quote + 1) - quote - 1));
  }
  return {};
}

/// Throws InputError for a platform with hosts or links that fail, and names the first of them. SimGrid lets messages
/// to them fail, or ends the program.
void refuse_failures(const std::string& platform) {
  std::ifstream in(platform);
  std::stringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  const auto refuse = [&](const std::string& what, const std::string& name, const std::string& why) {
    throw InputError(platform, what + " '" + name + "', which fails (" + why + ")", "hosts and links that stay on");
  };
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at)) {
    const bool comment = text.compare(at, 4, "<!--") == 0;
    const std::size_t end = std::min(text.find(comment ? "-->" : ">", at), text.size());
    const std::string_view tag = std::string_view(text).substr(at + 1, end - at - 1);
    at = end;
    if (comment) continue;
    const std::string kind(tag.substr(0, tag.find_first_of(" \t\r\n/")));
    if (!attribute(tag, "state_file").empty()) refuse(kind, attribute(tag, "id"), "state_file");
    if (kind != "trace_connect") continue;
    const std::string what = attribute(tag, "kind");
    if (what == "HOST_AVAIL" || what == "LINK_AVAIL")
      refuse(what == "HOST_AVAIL" ? "host" : "link", attribute(tag, "element"), "trace_connect " + what);
  }
}

std::vector<s4u::Host*> hosts_of(const s4u::Engine& engine, const SimgridRequest& request) {
  std::vector<s4u::Host*> hosts;
  if (request.machine.hosts.empty()) {
    hosts = engine.get_all_hosts();
    std::sort(hosts.begin(), hosts.end(),
              [](const s4u::Host* a, const s4u::Host* b) { return natural_less(a->get_name(), b->get_name()); });
  }
  for (const std::string& name : request.machine.hosts) {
    hosts.push_back(engine.host_by_name_or_null(name));
    if (hosts.back() == nullptr)
      throw InputError(request.machine.platform, "no host '" + name + "'", "one of that name");
  }
  std::int64_t needed = 0;
  for (const MessageGraph::Message& each : request.messages.graph.messages)
    needed = std::max<std::int64_t>({needed, each.from + 1, each.to + 1});
  if (std::cmp_less(hosts.size(), needed))
    throw InputError(request.machine.platform, std::to_string(hosts.size()) + (hosts.size() == 1 ? " host" : " hosts"),
                     request.who_needs);
  return hosts;
}

/// Latencies of routes, each asked for once.
class Latencies {
 public:
  explicit Latencies(std::vector<s4u::Host*> hosts) : hosts_(std::move(hosts)) {}

  [[nodiscard]] s4u::Host* host(std::int64_t position) const { return hosts_[static_cast<std::size_t>(position)]; }
  double between(std::int64_t from, std::int64_t to) {
    if (host(from) == host(to)) return 0;
    const auto [found, added] = known_.try_emplace({from, to}, 0);
    if (added) {
      std::vector<s4u::Link*> links;
      host(from)->route_to(host(to), links, &found->second);
    }
    return found->second;
  }

 private:
  std::vector<s4u::Host*> hosts_;
  std::map<std::pair<std::int64_t, std::int64_t>, double> known_;
};

/// When hosts go on from one step to the next. Computes what a fence of sluice::mpi (run/mpi/engine/fence.hpp) does. A
/// host enters when its own transfers of the step have ended, and leaves when it has heard of all, by way of the
/// others.
class StepFence {
 public:
  StepFence(const std::vector<std::int64_t>& hosts, Latencies& latencies) : hosts_(hosts), latencies_(latencies) {
    for (std::size_t i = 0; i < hosts.size(); ++i) position_[hosts[i]] = i;
    ready_.assign(hosts.size(), 0);
  }

  void ended(std::int64_t host, double now) {
    double& ready = ready_[position_.at(host)];
    ready = std::max(ready, now);
  }
  /// When `host` may begin its transfers of `step`. @pre all of earlier steps have ended
  double opens(std::int64_t host, std::int64_t step) {
    for (; step_ < step; ++step_) pass();
    return ready_[position_.at(host)];
  }

 private:
  void pass() {
    const std::size_t count = hosts_.size();
    for (std::size_t distance = 1; distance < count; distance *= 2) {
      std::vector<double> heard = ready_;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t teller = (i + count - distance) % count;
        heard[i] = std::max(heard[i], ready_[teller] + latencies_.between(hosts_[teller], hosts_[i]));
      }
      ready_ = std::move(heard);
    }
  }

  const std::vector<std::int64_t>& hosts_;
  Latencies& latencies_;
  std::map<std::int64_t, std::size_t> position_;  ///< of a host in the list
  std::vector<double> ready_;                     ///< since when each is in the present step, or done with it
  std::int64_t step_ = 0;
};

class Simulation {
 public:
  Simulation(const SimgridRequest& request, std::vector<s4u::Host*> hosts)
      : platform_(request.machine.platform),
        messages_(request.messages),
        sequence_(request.messages),
        hosts_(std::move(hosts)) {
    times_.start.resize(messages_.graph.size());
    times_.end.resize(messages_.graph.size());
    if (!messages_.fence.empty()) fence_.emplace(messages_.fence, hosts_);
    if (messages_.pieces) pieces_.emplace(messages_);
  }

  MessageTimes run(const s4u::Engine& engine) {
    s4u::Comm::on_completion_cb([this](const s4u::Activity& activity) { end(activity); });
    start_all();
    engine.run();
    if (!sequence_.all_ended()) throw InputError(platform_, "transfers that never end", "hosts and links that stay on");
    return std::move(times_);
  }

 private:
  void start_all() {
    for (std::vector<Sender*> may_begin;; may_begin.clear()) {
      while (const std::optional<std::size_t> next = sequence_.next())
        if (Sender* const sender = start(*next)) may_begin.push_back(sender);
      if (may_begin.empty()) break;
      for (Sender* const sender : may_begin) send_from(*sender);
    }
    if (pieces_)
      while (const std::optional<PieceWindows::Piece> piece = pieces_->next()) begin_flow(*piece);
  }

  [[nodiscard]] const MessageGraph::Message& message_at(std::size_t number) const {
    return messages_.graph.messages[number];
  }

  struct Sender;
  /// The sender, if it is one that keeps a pace or does its work alone: it may begin something then.
  Sender* start(std::size_t number) {
    const MessageGraph::Message& message = message_at(number);
    const double now = s4u::Engine::get_clock();
    if (messages_.works_alone || messages_.pace(number).connection_s > 0) {
      Sender& sender = senders_[message.from];
      if (messages_.work_s(number) > 0) {
        sender.work.push(number);
      } else {
        sender.ready.insert(number);
      }
      return &sender;
    }
    const double start = fence_ ? std::max(now, fence_->opens(message.from, messages_.step(number))) : now;
    if (start > now) {
      at(start, [this, number] { begin(number); });
    } else {
      begin(number);
    }
    return nullptr;
  }

  /// Messages of one host that keep a pace, and the host's work if messages_.works_alone.
  struct Sender {
    std::set<std::size_t> ready;
    std::queue<std::size_t> work;
    double port_free = 0;  ///< from when on
    double works_until = 0;
    double next_try = -1;
  };

  /// Begins what may begin now.
  void send_from(Sender& sender) {
    const double now = s4u::Engine::get_clock();
    if (now < sender.works_until) return;
    double soonest = sender.port_free;
    while (!sender.ready.empty() && sender.port_free <= now) {
      soonest = std::numeric_limits<double>::infinity();
      const auto free = [&](std::size_t number) -> double& {
        return connection_free_[{message_at(number).from, message_at(number).to}];
      };
      const auto next = std::find_if(sender.ready.begin(), sender.ready.end(), [&](std::size_t number) {
        soonest = std::min(soonest, free(number));
        return free(number) <= now;
      });
      if (next == sender.ready.end()) break;
      const std::size_t number = *next;
      sender.ready.erase(next);
      free(number) = now + messages_.pace(number).connection_s;
      soonest = sender.port_free = now + messages_.pace(number).port_s;
      begin(number);
    }
    if (!sender.work.empty()) {
      work_on(sender);
      return;
    }
    if (sender.ready.empty() || (sender.next_try > now && sender.next_try <= soonest)) return;
    sender.next_try = soonest;
    at(soonest, [this, &sender] { send_from(sender); });
  }

  /// On the first of its work; a host that works begins no message.
  void work_on(Sender& sender) {
    const std::size_t number = sender.work.front();
    sender.work.pop();
    times_.start[number] = s4u::Engine::get_clock();
    sender.works_until = times_.start[number] + messages_.work_s(number);
    at(sender.works_until, [this, number, &sender] {
      sender.works_until = 0;
      end(number);
      start_all();
      send_from(sender);
    });
  }

  void begin(std::size_t number) {
    const MessageGraph::Message& message = message_at(number);
    if (pieces_ && PieceWindows::has(message)) {
      times_.start[number] = -1;
      pieces_->permit(number);
      return;
    }
    const double now = s4u::Engine::get_clock();
    times_.start[number] = now;
    s4u::Host* const from = hosts_.host(message.from);
    s4u::Host* const to = hosts_.host(message.to);
    const double latency = messages_.is_word(number) ? hosts_.between(message.from, message.to) : 0;
    if (const double work_s = messages_.work_s(number); work_s > 0) {
      at(now + work_s, [this, number] { end(number); });
    } else if (from == to || (messages_.is_word(number) ? latency == 0 : pieces_.has_value())) {
      end(number);
    } else if (messages_.is_word(number)) {
      at(now + latency, [this, number] { end(number); });
    } else {
      begin_flow({number, message.bytes});
    }
  }

  void begin_flow(const PieceWindows::Piece& piece) {
    const MessageGraph::Message& message = message_at(piece.message);
    double& start = times_.start[piece.message];
    if (start < 0) start = s4u::Engine::get_clock();
    const s4u::CommPtr flow = s4u::Comm::sendto_init(hosts_.host(message.from), hosts_.host(message.to));
    flow->set_payload_size(static_cast<std::uint64_t>(piece.bytes));
    flows_.emplace(flow.get(), Flow{piece, flow});
    start_comm(*flow);
  }

  /// Does `what` when the clock says `time`, and begins what may begin then.
  template <class Do>
  void at(double time, Do what) {
    simgrid::kernel::timer::Timer::set(time, [this, what] {
      what();
      start_all();
    });
  }

  void end(const s4u::Activity& activity) {
    const auto found = flows_.find(&activity);
    if (found == flows_.end()) return;
    if (activity.get_state() != s4u::Activity::State::FINISHED) return;  // a host or link was switched off
    const double now = s4u::Engine::get_clock();
    if (now > ended_at_) ended_.clear();
    ended_at_ = now;
    const PieceWindows::Piece piece = found->second.piece;
    ended_.push_back(found->second.flow);  // SimGrid is not done with it before the clock goes on
    flows_.erase(found);
    const bool whole = !pieces_ || pieces_->end(piece);
    if (pieces_)
      while (const std::optional<std::size_t> released = pieces_->next_released()) sequence_.release(*released);
    if (whole) end(piece.message);
    start_all();
  }

  void end(std::size_t number) {
    const MessageGraph::Message& message = message_at(number);
    times_.end[number] = s4u::Engine::get_clock();
    if (fence_)
      for (const std::int64_t host : {message.from, message.to}) fence_->ended(host, times_.end[number]);
    sequence_.end(number);
    constexpr std::size_t kLines = 200;
    const std::size_t count = messages_.graph.size();
    ++ended_count_;
    if (ended_count_ * kLines / count == (ended_count_ - 1) * kLines / count) return;
    std::printf("%zu\n", ended_count_);
    std::fflush(stdout);
  }

  struct Flow {
    PieceWindows::Piece piece;  ///< the whole message where there are no pieces
    s4u::CommPtr flow;
  };

  std::string platform_;
  const SimulatedMessages& messages_;
  MessageSequence sequence_;
  Latencies hosts_;
  std::optional<StepFence> fence_;
  std::optional<PieceWindows> pieces_;
  std::map<std::pair<std::int64_t, std::int64_t>, double> connection_free_;  ///< from when on, by its two hosts
  std::map<std::int64_t, Sender> senders_;                                   ///< by host
  MessageTimes times_;
  std::map<const s4u::Activity*, Flow> flows_;  ///< under way
  std::vector<s4u::CommPtr> ended_;
  double ended_at_ = 0;
  std::size_t ended_count_ = 0;
};

void answer(const std::string& request_file, const std::string& times_file) {
  std::ifstream in(request_file);
  const SimgridRequest request = read_simgrid_request(in);
  std::vector<std::string> words{
      "sluice-simgrid",           "--log=root.thresh:error",     "--log=root.fmt:%m%n",
      "--cfg=network/model:CM02", "--cfg=network/weight-S:8775", "--cfg=network/crosstraffic:0"};
  for (const std::string& each : request.machine.settings) words.push_back("--cfg=" + each);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  s4u::Engine engine(&argc, argv.data());
  refuse_failures(request.machine.platform);
  engine.load_platform(request.machine.platform);
  // Not before this are routes computed; messages begin outside of Engine::run, which would do it too.
  engine.seal_platform();
  const MessageTimes times = Simulation(request, hosts_of(engine, request)).run(engine);
  std::ofstream out(times_file);
  write_simgrid_times(out, times);
  if (!out.flush()) throw InputError(times_file, "cannot be written", "a file that can be written");
}

}  // namespace
}  // namespace sluice::detail

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("error: sluice-simgrid: expected REQUEST TIMES; it is for sluice simulate --engine simgrid\n", stderr);
    return 2;
  }
  try {
    sluice::detail::answer(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
