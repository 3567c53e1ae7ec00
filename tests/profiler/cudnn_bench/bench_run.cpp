// The network is written to a file, as users have it.
#include "tests/profiler/cudnn_bench/bench_run.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <sstream>

#include <unistd.h>

#include "planner/base/file.hpp"

namespace cnnplan::test {
namespace {

constexpr const char* network = R"({
  "schema": "cnnplan.network/1", "name": "small",
  "layers": [
    {"name": "data", "kind": "input", "channels": 3, "size": [8, 8]},
    {"name": "conv1", "kind": "convolution", "filters": 16, "kernel": 3,
     "padding": 1, "bias": true},
    {"name": "relu1", "kind": "relu"},
    {"name": "conv2", "kind": "convolution", "filters": 16, "kernel": 3, "padding": 1},
    {"name": "bn2", "kind": "batch_norm"},
    {"name": "sum", "kind": "add", "inputs": ["bn2", "relu1"]},
    {"name": "relu2", "kind": "relu"},
    {"name": "pool", "kind": "pooling", "mode": "max", "kernel": 2},
    {"name": "fc", "kind": "fully_connected", "outputs": 5},
    {"name": "loss", "kind": "softmax_cross_entropy"}
  ]
})";

// A stream buffer that hands on every line as soon as it is flushed.
class LineBuffer : public std::stringbuf {
 public:
  explicit LineBuffer(std::function<void(const std::string&)> take) : take_(std::move(take)) {}

 protected:
  int sync() override {
    std::istringstream text(str());
    str({});
    for (std::string line; std::getline(text, line);) take_(line);
    return 0;
  }

 private:
  std::function<void(const std::string&)> take_;
};

}  // namespace

std::vector<nlohmann::json> BenchRun::of(const std::string& kind) const {
  std::vector<nlohmann::json> found;
  std::copy_if(
      lines.begin(), lines.end(), std::back_inserter(found), [&kind](const nlohmann::json& line) {
        return line.at("line") == kind;
      });
  return found;
}

cudnn::BenchOptions small_options() {
  const auto file = std::filesystem::temp_directory_path() /
                    ("cnnplan-bench-" + std::to_string(getpid()) + ".json");
  write_file(file.string(), network);
  return {.network = file.string(),
          .batch = 2,
          .operand_bytes = 0,
          .product_size = 8,
          .warm_up_s = 0.0,
          .sample_s = 1e-5};
}

BenchRun run_bench(const cudnn::BenchOptions& options,
                   const std::function<void(const nlohmann::json&)>& after_line) {
  BenchRun run;
  LineBuffer buffer([&](const std::string& line) {
    run.lines.push_back(nlohmann::json::parse(line));
    if (after_line) after_line(run.lines.back());
  });
  std::ostream out(&buffer);
  std::ostringstream log;
  run.code = cudnn::run_bench(options, out, log);
  run.log = log.str();
  return run;
}

}  // namespace cnnplan::test
