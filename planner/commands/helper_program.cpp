// Finds the programs in the folder of this program, and replaces this process by one of them.
#include "planner/commands/helper_program.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"

namespace cnnplan {

std::string beside_this_program(const std::string& name) {
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw EnvironmentError("/proc/self/exe: cannot read: " + error.message());
  return program.replace_filename(name).string();
}

std::string helper_path(const std::string& name) {
  std::string helper = beside_this_program(name);
  if (!file_exists(helper)) {
    throw EnvironmentError(
        helper + ": does not exist; it is built if MPI, parallel HDF5 and Eigen are found");
  }
  return helper;
}

void run_helper(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string helper = helper_path(name);
  std::vector<std::string> words{helper};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (!std::cout.flush()) throw IoError("standard output: cannot write all of it");
  execv(helper.c_str(), pointers.data());
  throw EnvironmentError(helper + ": cannot be started");
}

}  // namespace cnnplan
