// Sends each datagram to all addresses of a peer, because only some of them may be in reach.
#include "executor/comm/watch/side_channel.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sstream>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cnnplan {
namespace {

constexpr const char* loopback = "127.0.0.1";
constexpr std::size_t most_bytes = 65536;  // of a datagram

// Returns the IPv4 addresses of the interfaces that are up, except loopback.
std::vector<std::string> host_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return addresses;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    const bool is_usable = (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_LOOPBACK) == 0;
    if (!is_usable || i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in address{};
    std::memcpy(&address, i->ifa_addr, sizeof(address));
    std::array<char, INET_ADDRSTRLEN> text{};
    const char* const shown = inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    if (shown != nullptr) addresses.emplace_back(shown);
  }
  return addresses;
}

std::string socket_address(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return {};
  std::string bytes(sizeof(address), '\0');
  std::memcpy(bytes.data(), &address, sizeof(address));
  return bytes;
}

}  // namespace

SideChannel::SideChannel()
    : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  if (socket_ < 0) return;
  const int bound = ::bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof(any));
  if (bound == 0) return;
  close(socket_);
  socket_ = -1;
}

SideChannel::~SideChannel() {
  if (socket_ >= 0) close(socket_);
  if (wake_ >= 0) close(wake_);
}

std::string SideChannel::address() const {
  sockaddr_in own{};
  socklen_t size = sizeof(own);
  if (socket_ < 0 || getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size) != 0) return {};
  std::string text = std::to_string(ntohs(own.sin_port));
  for (const std::string& address : host_addresses()) text += ' ' + address;
  return text;
}

void SideChannel::add_peer(const std::string& address, bool is_on_this_host) {
  std::istringstream in(address);
  std::uint16_t port = 0;
  std::vector<std::string>& addresses = peers_.emplace_back();
  if (!(in >> port)) return;
  if (is_on_this_host) {
    addresses.push_back(socket_address(loopback, port));
    return;
  }
  for (std::string host; in >> host;) addresses.push_back(socket_address(host, port));
}

void SideChannel::send(std::size_t peer, const std::string& datagram) const {
  for (const std::string& address : peers_.at(peer)) {
    sendto(socket_,
           datagram.data(),
           datagram.size(),
           0,
           reinterpret_cast<const sockaddr*>(address.data()),
           static_cast<socklen_t>(address.size()));
  }
}

// An earlier datagram to a process that has ended may be reported as an error here, once.
std::optional<std::string> SideChannel::receive() const {
  std::string datagram(most_bytes, '\0');
  const ssize_t bytes = recv(socket_, datagram.data(), datagram.size(), 0);
  if (bytes < 0) return std::nullopt;
  datagram.resize(bytes);
  return datagram;
}

void SideChannel::wait(double seconds) const {
  constexpr double ms_per_s = 1e3;
  std::array<pollfd, 2> files{{{.fd = socket_, .events = POLLIN}, {.fd = wake_, .events = POLLIN}}};
  poll(files.data(), files.size(), static_cast<int>(seconds * ms_per_s));
}

void SideChannel::wake() const {
  const std::uint64_t one = 1;
  if (write(wake_, &one, sizeof(one)) < 0) return;  // the waiting thread wakes up by its limit
}

}  // namespace cnnplan
