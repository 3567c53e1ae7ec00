// Tests that datagrams arrive on this host.
#include "executor/comm/watch/side_channel.hpp"

#include <chrono>
#include <thread>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

constexpr double long_s = 60;

TEST_CASE("SideChannel: a datagram arrives, and receive() does not block") {
  SideChannel a;
  SideChannel b;
  a.add_peer(b.address(), true);
  CHECK(!b.receive());
  a.send(0, "hello");
  b.wait(long_s);
  CHECK(b.receive() == "hello");
  CHECK(!b.receive());
}

TEST_CASE("SideChannel: addresses of the host reach it, too") {
  SideChannel a;
  SideChannel b;
  if (b.address().find(' ') == std::string::npos) return;  // there is no interface but loopback
  a.add_peer(b.address(), false);
  a.send(0, "hello");
  b.wait(long_s);
  CHECK(b.receive() == "hello");
}

TEST_CASE("SideChannel: wake() ends a wait, and a peer without an address gets nothing") {
  SideChannel a;
  a.add_peer("", true);
  a.send(0, "hello");
  const auto begin = std::chrono::steady_clock::now();
  std::thread other([&] { a.wake(); });
  a.wait(long_s);
  other.join();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(long_s / 2));
}

TEST_CASE("SideChannel: a peer that has ended does no harm") {
  SideChannel a;
  {
    const SideChannel b;
    a.add_peer(b.address(), true);
  }
  for (int i = 0; i < 3; ++i) a.send(0, "hello");
  CHECK(!a.receive());
}

}  // namespace
}  // namespace cnnplan
