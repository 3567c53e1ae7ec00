// Tests the hosts, links and routes of a platform for SimGrid.
#include "planner/simulate/platform_xml.hpp"

#include <doctest/doctest.h>

#include "tests/planner/simulate/two_nodes.hpp"

namespace cnnplan::test {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Platform XML: a small one") {
  Platform platform = two_nodes(2);
  platform.levels.erase(platform.levels.begin());
  CHECK(platform_xml(platform, 2, {{0, 1}}) == R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <host id="rank-0" speed="1e+09f" core="130"/>
    <host id="rank-1" speed="1e+09f" core="130"/>
    <link id="level0-up-0" bandwidth="500000000Bps" latency="1e-05s"/>
    <link id="level0-down-0" bandwidth="500000000Bps" latency="0s"/>
    <link id="level0-up-1" bandwidth="500000000Bps" latency="1e-05s"/>
    <link id="level0-down-1" bandwidth="500000000Bps" latency="0s"/>
    <link id="self" bandwidth="1e+15Bps" latency="0s"/>
    <route src="rank-0" dst="rank-1" symmetrical="NO"><link_ctn id="level0-up-0"/><link_ctn id="level0-down-1"/></route>
  </zone>
</platform>
)");
}

TEST_CASE("Platform XML: a message crosses the level that connects its ranks, and no other") {
  const std::string xml = platform_xml(two_nodes(8), 8, {{1, 2}, {1, 6}, {3, 3}});
  CHECK(has(xml,
            R"(src="rank-1" dst="rank-2" symmetrical="NO"><link_ctn id="level0-up-1"/>)"
            R"(<link_ctn id="level0-down-2"/></route>)"));
  CHECK(has(xml,
            R"(src="rank-1" dst="rank-6" symmetrical="NO"><link_ctn id="level1-up-1"/>)"
            R"(<link_ctn id="level1-down-6"/></route>)"));
  CHECK(has(xml, R"(src="rank-3" dst="rank-3" symmetrical="NO"><link_ctn id="self"/></route>)"));
  CHECK(count(xml, "<route") == 3);
}

TEST_CASE("Platform XML: ranks of a node share its ports, also where they do not divide evenly") {
  Platform platform = two_nodes(8);
  platform.levels[1].shared_by = 3;  // of 4 ranks in a node: ports of 3 and of 1
  const std::string xml = platform_xml(platform, 8, {{0, 4}, {2, 4}, {3, 4}, {7, 0}});
  CHECK(count(xml, "level1-up-0\"/>") == 2);
  CHECK(count(xml, "level1-up-1\"/>") == 1);
  CHECK(count(xml, "level1-up-3\"/>") == 1);
  CHECK(count(xml, "level1-down-2\"/>") == 3);
  CHECK(count(xml, "id=\"level1-up-") == 4 + 4);  // links and their uses
}

TEST_CASE("Platform XML: a link slower in both directions is crossed by both") {
  Platform platform = two_nodes(8);
  platform.levels[1].duplex_factor = 1.6;
  const std::string xml = platform_xml(platform, 8, {{0, 4}, {0, 1}});
  CHECK(has(xml, R"(<link id="level1-both-0" bandwidth="625000000Bps" latency="0s"/>)"));
  CHECK(has(xml, R"(<link_ctn id="level1-both-0"/><link_ctn id="level1-both-4"/></route>)"));
  CHECK(count(xml, "level0-both") == 0);
}

}  // namespace cnnplan::test
