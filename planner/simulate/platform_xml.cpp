// Writes hosts, links and routes, each on a line.
#include "planner/simulate/platform_xml.hpp"

#include <cstdio>
#include <vector>

#include "planner/kernel/kernel.hpp"
#include "planner/simulate/trace.hpp"
#include "planner/simulate/wire.hpp"

namespace cnnplan {
namespace {

constexpr const char* head = R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
)";
constexpr const char* tail = "  </zone>\n</platform>\n";
constexpr const char* self = "self";
// The processes of a rank (lanes, packing of halos, adding) do not take turns on its host.
constexpr int cores = max_concurrency + 2;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

std::string link_name(std::size_t level, const char* direction, int port) {
  return "level" + std::to_string(level) + '-' + direction + '-' + std::to_string(port);
}

std::string link(const std::string& name, double bytes_per_s, double latency_s) {
  return "    <link id=\"" + name + "\" bandwidth=\"" + number(bytes_per_s) + "Bps\" latency=\"" +
         number(latency_s) + "s\"/>\n";
}

std::string links(const Platform& platform, std::size_t level, int ranks) {
  const WireLink wire = wire_link(platform.levels[level]);
  std::string text;
  for (int port = 0; port <= port_of(platform, level, ranks - 1); ++port) {
    text += link(link_name(level, "up", port), wire.bytes_per_s, wire.latency_s);
    text += link(link_name(level, "down", port), wire.bytes_per_s, 0.0);
    if (wire.duplex_factor <= 1.0) continue;
    text += link(link_name(level, "both", port), 2 * wire.bytes_per_s / wire.duplex_factor, 0.0);
  }
  return text;
}

std::vector<std::string> links_between(const Platform& platform, int from, int to) {
  if (from == to) return {self};
  const std::size_t level = level_index_between(platform, from, to);
  const int sender = port_of(platform, level, from);
  const int receiver = port_of(platform, level, to);
  std::vector<std::string> names{link_name(level, "up", sender),
                                 link_name(level, "down", receiver)};
  if (wire_link(platform.levels[level]).duplex_factor > 1.0) {
    names.push_back(link_name(level, "both", sender));
    if (sender != receiver) names.push_back(link_name(level, "both", receiver));
  }
  return names;
}

std::string route(const Platform& platform, int from, int to) {
  std::string text = "    <route src=\"" + host_name(from) + "\" dst=\"" + host_name(to) +
                     "\" symmetrical=\"NO\">";
  for (const std::string& name : links_between(platform, from, to)) {
    text += "<link_ctn id=\"" + name + "\"/>";
  }
  return text + "</route>\n";
}

}  // namespace

std::string host_name(int rank) {
  return "rank-" + std::to_string(rank);
}

std::string platform_xml(const Platform& platform,
                         int ranks,
                         const std::set<std::pair<int, int>>& routes) {
  std::string text = head;
  for (int rank = 0; rank < ranks; ++rank) {
    text += "    <host id=\"" + host_name(rank) + "\" speed=\"" + number(host_flops_per_s) +
            "f\" core=\"" + std::to_string(cores) + "\"/>\n";
  }
  for (std::size_t level = 0; level < platform.levels.size(); ++level) {
    text += links(platform, level, ranks);
  }
  text += link(self, 1e15, 0.0);
  for (const auto& [from, to] : routes) text += route(platform, from, to);
  return text + tail;
}

}  // namespace cnnplan
