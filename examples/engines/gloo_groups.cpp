/// Carries out over Gloo what `sluice plan --export p2p FILE` wrote, a thread for each device, over TCP on this host:
///
///     gloo_groups GROUPS.json FOLDER
///
/// Device d sends FOLDER/send-D, a file of elements of 8 bytes, and what it gets is written to FOLDER/receive-D.
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/hash_store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Elements = std::vector<std::int64_t>;

std::string file_of(const std::string& folder, const char* what, int device) {
  return folder + '/' + what + '-' + std::to_string(device);
}

/// The operations of one group that are this device's begin together, and the next group when they have ended.
Elements carry_out(const nlohmann::json& plan, int device, Elements& send, gloo::Context& context) {
  constexpr std::size_t kSize = sizeof(Elements::value_type);
  Elements receive(plan["receive_sizes"][static_cast<std::size_t>(device)].get<std::size_t>(), -1);
  const auto out = context.createUnboundBuffer(send.data(), send.size() * kSize);
  const auto in = context.createUnboundBuffer(receive.data(), receive.size() * kSize);
  for (std::size_t group = 0; group < plan["groups"].size(); ++group) {
    int sends = 0, receives = 0;
    for (const nlohmann::json& each : plan["groups"][group]) {
      if (each["device"] != device) continue;
      const auto offset = each["offset"].get<std::size_t>(), size = each["size"].get<std::size_t>();
      if (each["kind"] == "copy") {
        std::copy_n(&send.at(offset), size, &receive.at(each["to_offset"].get<std::size_t>()));
      } else if (each["kind"] == "send") {
        out->send(each["peer"].get<int>(), group, offset * kSize, size * kSize);
        ++sends;
      } else {
        in->recv(each["peer"].get<int>(), group, offset * kSize, size * kSize);
        ++receives;
      }
    }
    while (sends-- > 0) out->waitSend();
    while (receives-- > 0) in->waitRecv();
  }
  return receive;
}

/// `all_done`: of all devices; one that closed its connections before the others have what they get would fail them.
void run(const nlohmann::json& plan, const std::string& folder, int device, gloo::rendezvous::Store& store,
         std::barrier<>& all_done) {
  Elements send(plan["send_sizes"][static_cast<std::size_t>(device)].get<std::size_t>());
  const auto bytes = [](const Elements& elements) { return static_cast<std::streamsize>(elements.size() * 8); };
  std::ifstream in(file_of(folder, "send", device), std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(send.data()), bytes(send)))
    throw std::runtime_error(file_of(folder, "send", device) + ": too short");
  std::shared_ptr<gloo::transport::Device> card = gloo::transport::tcp::CreateDevice("localhost");
  gloo::rendezvous::Context context(device, plan["devices"].get<int>());
  context.connectFullMesh(store, card);
  const Elements receive = carry_out(plan, device, send, context);
  std::ofstream out(file_of(folder, "receive", device), std::ios::binary);
  if (!out.write(reinterpret_cast<const char*>(receive.data()), bytes(receive)).flush())
    throw std::runtime_error(file_of(folder, "receive", device) + ": cannot be written");
  all_done.arrive_and_wait();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("expected GROUPS.json FOLDER");
    std::ifstream in(argv[1]);
    const nlohmann::json plan = nlohmann::json::parse(in);
    if (plan["schema"] != "sluice.p2p/1") throw std::runtime_error("no sluice.p2p/1");
    gloo::rendezvous::HashStore store;
    std::vector<std::string> faults(plan["devices"].get<std::size_t>());
    std::barrier<> all_done(static_cast<std::ptrdiff_t>(faults.size()));
    std::vector<std::jthread> threads;
    for (std::size_t device = 0; device < faults.size(); ++device)
      threads.emplace_back([&, device] {
        try {
          run(plan, argv[2], static_cast<int>(device), store, all_done);
        } catch (const std::exception& error) {
          faults[device] = error.what();
          all_done.arrive_and_drop();
        }
      });
    threads.clear();
    for (const std::string& fault : faults)
      if (!fault.empty()) throw std::runtime_error(fault);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: gloo_groups: %s\n", error.what());
    return 2;
  }
  return 0;
}
