// Tries random convolutions on oneDNN's backend, for scripts/campaign windows.
//
//   usage: windows_campaign FIRST COUNT PRECISION    tries the seeds FIRST to FIRST + COUNT - 1
//          windows_campaign --case TEXT              tries the convolution of a find again
//          windows_campaign --cases                  tries the convolutions that standard input
//          lists
//
// The program prints three lines of values for a case, separated by tabs: "try", seed and the
// convolution before it runs; "ran", seed and implementation; "find", seed and fault where it has
// one. A case that takes too long ends the process.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include <unistd.h>

#include "planner/tensor/enumerators.hpp"
#include "tests/executor/backend/onednn/windows/random_window.hpp"
#include "tests/executor/backend/onednn/windows/window_text.hpp"
#include "tests/executor/backend/onednn/windows/window_trial.hpp"

namespace cnnplan::test {
namespace {

constexpr unsigned longest_case_s = 60;

bool passes(std::int64_t seed, const KernelSpec& spec) {
  std::cout << "try\t" << seed << '\t' << to_text(spec) << std::endl;
  alarm(longest_case_s);
  const WindowTrial trial = try_window(spec);
  std::cout << "ran\t" << seed << '\t' << trial.implementation << '\n';
  if (!trial.fault.empty()) std::cout << "find\t" << seed << '\t' << trial.fault << '\n';
  return trial.fault.empty();
}

int try_all(std::int64_t first, std::int64_t count, Precision precision) {
  if (!prepared("onednn").supports(precision)) {
    std::cerr << "windows_campaign: " << prepared("onednn").missing_for(precision) << '\n';
    return 77;
  }
  bool all_pass = true;
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    all_pass = passes(seed, random_convolution(random, precision)) && all_pass;
  }
  return all_pass ? 0 : 1;
}

int try_listed() {
  bool all_pass = true;
  std::int64_t line = 0;
  for (std::string text; std::getline(std::cin, text); ++line) {
    all_pass = passes(line, convolution_from_text(text)) && all_pass;
  }
  return all_pass ? 0 : 1;
}

int main_checked(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--case" && argc == 3) return passes(0, convolution_from_text(argv[2])) ? 0 : 1;
  if (first == "--cases" && argc == 2) return try_listed();
  if (argc != 4) {
    std::cerr << "windows_campaign FIRST COUNT PRECISION | --case TEXT | --cases\n";
    return 2;
  }
  const Precision precision = argv[3] == std::string("bf16") ? Precision::bf16 : Precision::fp32;
  return try_all(std::stoll(first), std::stoll(argv[2]), precision);
}

}  // namespace
}  // namespace cnnplan::test

int main(int argc, char** argv) {
  try {
    return cnnplan::test::main_checked(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "windows_campaign: " << error.what() << '\n';
    return 3;
  }
}
