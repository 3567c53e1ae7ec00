// Finds the programs by the path of this program.
#include "planner/commands/companion.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"

namespace cnnplan {

std::string companion_path(const std::string& name) {
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw EnvironmentError("/proc/self/exe: cannot read: " + error.message());
  std::string companion = program.replace_filename(name).string();
  if (!file_exists(companion)) {
    throw EnvironmentError(
        companion + ": does not exist; it is built if MPI, parallel HDF5 and Eigen are found");
  }
  return companion;
}

void run_companion(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string companion = companion_path(name);
  std::vector<std::string> words{companion};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (!std::cout.flush()) throw IoError("standard output: cannot write all of it");
  execv(companion.c_str(), pointers.data());
  throw EnvironmentError(companion + ": cannot be started");
}

}  // namespace cnnplan
