// Reads and writes the files of the public header, each once.
#include <string>
#include <utility>
#include <vector>

#include "planner/api/checks.hpp"
#include "planner/api/errors.hpp"
#include "planner/api/values.hpp"
#include "planner/base/file.hpp"
#include "planner/base/input_file.hpp"
#include "planner/import/network_source.hpp"
#include "planner/platform/resized_platform.hpp"
#include "planner/predict/operation_places.hpp"

namespace cnnplan::api {
inline namespace v1 {

std::string library_version() {
  return CNNPLAN_VERSION;
}

Network read_network(const std::string& file, const std::string& input_size) {
  return with_public_errors([&] {
    const std::string content = read_file(file);
    std::vector<std::string> notes;
    cnnplan::Network network =
        parse_network_or_model({.content = content, .file = file, .input_size = input_size}, notes);
    return handle_to(NetworkValue{
        .network = network, .file = input_file(file, content), .notes = std::move(notes)});
  });
}

std::string name_of(const Network& network) {
  return network.value().network.name();
}

std::int64_t parameter_count(const Network& network) {
  return network.value().network.parameter_count();
}

std::vector<std::string> notes_of(const Network& network) {
  return network.value().notes;
}

Platform read_platform(const std::string& file) {
  return with_public_errors([&] {
    const std::string content = read_file(file);
    return handle_to(PlatformValue{.platform = parse_platform(content, file),
                                   .file = input_file(file, content)});
  });
}

Platform default_platform(int ranks) {
  return with_public_errors([&] {
    require_ranks("--ranks", ranks);
    return handle_to(PlatformValue{.platform = cnnplan::default_platform(ranks), .file = {}});
  });
}

Platform resized(const Platform& platform, int nodes, int ranks_per_node) {
  return with_public_errors([&] {
    require_ranks("--nodes", nodes);
    require_ranks("--ranks-per-node", ranks_per_node);
    const cnnplan::Platform& before = platform.value().platform;
    cnnplan::Platform after = cnnplan::resized(before, nodes, ranks_per_node);
    if (after == before) return platform;
    InputFile file = input_file(after.name + ".json", cnnplan::to_json(after));
    return handle_to(PlatformValue{.platform = std::move(after), .file = std::move(file)});
  });
}

std::string to_json(const Platform& platform) {
  return cnnplan::to_json(platform.value().platform);
}

Profile read_profile(const std::string& file) {
  return with_public_errors([&] {
    const std::string content = read_file(file);
    return handle_to(
        ProfileValue{.profile = parse_profile(content, file), .file = input_file(file, content)});
  });
}

Profile no_profile() {
  return handle_to(ProfileValue{});
}

Plan read_plan(const std::string& file) {
  return with_public_errors(
      [&] { return handle_to(PlanValue{with_places(cnnplan::read_plan(file), file)}); });
}

std::string to_json(const Plan& plan) {
  return cnnplan::to_json(plan.value().plan);
}

void write_plan(const Plan& plan, const std::string& file) {
  with_public_errors([&] { write_file(file, to_json(plan)); });
}

}  // namespace v1
}  // namespace cnnplan::api
