// Writes a sample of each kind of file, and says which files the readers accept, for
// tests/schemas_test.
//   sample_files write FOLDER        FOLDER/<kind>.json
//   sample_files check KIND FILE...  one line per file: "read", or the message of the refusal
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

void write_samples(const std::string& folder) {
  write_file(folder + "/network.json", to_json(sample_network()));
  write_file(folder + "/platform.json", to_json(sample_platform()));
  write_file(folder + "/profile.json", to_json(sample_profile()));
  write_file(folder + "/plan.json", to_json(sample_plan()));
  write_file(folder + "/chain_plan.json", to_json(sample_chain_plan()));
  write_file(folder + "/run.json", to_json(sample_run()));
  write_file(folder + "/checkpoint.json", to_json(sample_checkpoint()));
}

void check(const std::string& kind, const std::string& file) {
  const std::map<std::string, std::function<void()>> readers{
      {"network", [&] { read_network(file); }},
      {"platform", [&] { read_platform(file); }},
      {"profile", [&] { read_profile(file); }},
      {"plan", [&] { read_plan(file); }},
      {"run", [&] { read_run(file); }},
      {"checkpoint", [&] { parse_checkpoint(read_file(file), file); }},
  };
  try {
    readers.at(kind)();
    std::cout << "read\n";
  } catch (const InputError& error) {
    std::cout << error.what() << '\n';
  }
}

int run(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "write") {
    write_samples(argv[2]);
    return 0;
  }
  if (argc < 4 || std::string(argv[1]) != "check") return 2;
  for (int i = 3; i < argc; ++i) check(argv[2], argv[i]);
  return 0;
}

}  // namespace
}  // namespace cnnplan::test

int main(int argc, char** argv) {
  try {
    return cnnplan::test::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
