// Carries datagrams between the watchdogs, past MPI, which may hang when they are needed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cnnplan {

// Owns a UDP socket. Datagrams may be lost or come twice, and anybody may send some.
class SideChannel {
 public:
  // Without a socket, send() does nothing and receive() returns nothing.
  SideChannel();
  ~SideChannel();
  SideChannel(const SideChannel&) = delete;
  SideChannel& operator=(const SideChannel&) = delete;

  // Returns the port and the IPv4 addresses of this host, with blanks between them, in a form for
  // add_peer(). The text is empty if there is no socket.
  std::string address() const;
  // Adds the peer with the next number. `address` is from address() of the peer; if it is empty,
  // the peer gets no datagrams. Datagrams to a peer on this host take the loopback device.
  void add_peer(const std::string& address, bool is_on_this_host);
  // Sends without waiting. `peer` is a number of add_peer(), counted from 0. Errors are ignored.
  void send(std::size_t peer, const std::string& datagram) const;
  // Returns the next datagram that has come, if any.
  std::optional<std::string> receive() const;
  // Waits until a datagram has come, wake() was called, or `seconds` are over.
  void wait(double seconds) const;
  // Ends a wait() of another thread. From now on, every wait() returns at once.
  void wake() const;

 private:
  int socket_ = -1;
  int wake_ = -1;
  std::vector<std::vector<std::string>> peers_;  // socket addresses as bytes, by peer
};

}  // namespace cnnplan
