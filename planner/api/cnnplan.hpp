// Declares the planner's functions for other programs: read files, solve, predict, and explain.
// docs/reference/api.md has an example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Everything that a program may use is in cnnplan::api. The inner namespace is part of the symbols,
// so that a program never links with a library of another version of these declarations.
namespace cnnplan::api {
inline namespace v1 {

// The number grows with every incompatible change of this header, as v1 does. Within a number,
// declarations are only added.
inline constexpr int api_version = 1;

// Says what kind of problem an error is. `other` covers all errors without a kind of their own.
enum class ErrorKind { bad_input, infeasible, environment, io, other };

// All functions below throw this error for problems that a user can meet. The message holds all
// fields. Fields are empty where an error has no such part.
class Error : public std::runtime_error {
 public:
  // Says where the problem is. For a field of Request, `file` is the option of `cnnplan solve` with
  // this meaning, such as "--uniform". `pointer` is a JSON pointer into the file.
  struct Place {
    std::string file;
    std::string pointer;
    std::string value;    // the refused value
    std::string allowed;  // the values that may stand there
  };

  Error(ErrorKind kind, const std::string& message, Place place = {})
      : std::runtime_error(message), kind_(kind), place_(std::move(place)) {}
  ErrorKind kind() const { return kind_; }
  const Place& place() const { return place_; }

 private:
  ErrorKind kind_;
  Place place_;
};

// These hold the planner's own values. Copies share them, and nobody changes them.
struct NetworkValue;
struct PlatformValue;
struct ProfileValue;
struct PlanValue;

// Points to a value of the planner that never changes. Copies are cheap, and threads may share
// them.
template <typename Value>
class Handle {
 public:
  explicit Handle(std::shared_ptr<const Value> value) : value_(std::move(value)) {}
  const Value& value() const { return *value_; }

 private:
  std::shared_ptr<const Value> value_;  // null only after a move
};

using Network = Handle<NetworkValue>;
using Platform = Handle<PlatformValue>;
using Profile = Handle<ProfileValue>;
using Plan = Handle<PlanValue>;

// Returns the version of the library, such as "0.2.0".
std::string library_version();

// Reads a network file or an ONNX model. `input_size` replaces the size of the input, as "512x512"
// or "64x512x512"; empty: the file's. All functions that read throw Error (bad_input, io).
Network read_network(const std::string& file, const std::string& input_size = {});
// Returns the name of the network.
std::string name_of(const Network& network);
// Returns the number of trainable parameters.
std::int64_t parameter_count(const Network& network);
// Returns notes about omitted or changed parts of an ONNX model. Network files have none.
std::vector<std::string> notes_of(const Network& network);

// Reads a platform file, which describes links and memory of a machine.
Platform read_platform(const std::string& file);
// Returns a platform of one node with conservative figures that nobody measured.
// @throws Error (bad_input) unless 1 <= ranks <= 1048576
Platform default_platform(int ranks);
// Returns the platform with this number of nodes and of ranks in a node, as `solve --nodes
// --ranks-per-node` does. @throws Error (bad_input) for a platform whose links do not allow it
Platform resized(const Platform& platform, int nodes, int ranks_per_node);
// Returns the text of a platform file.
std::string to_json(const Platform& platform);

// Reads the kernel times that `cnnplan profile` measured.
Profile read_profile(const std::string& file);
// Returns a profile without kernels, with which all times are estimated.
Profile no_profile();

// Names the numbers in which a network is trained.
enum class Precision { fp32, fp64, tf32, bf16, fp16 };

// Holds the task of a search. Defaults are those of `cnnplan solve`, except the number of ranks.
struct Request {
  int ranks = 1;
  std::int64_t batch = 8;  // samples of a step, over all ranks
  Precision precision = Precision::fp32;
  std::string axes = "ncdhw";   // the axes over which layers may be split
  std::string uniform;          // a mesh such as "n2h2" for all layers; empty: search
  bool overlap = false;         // halos and reductions run while kernels do
  bool sharded_update = false;  // each rank updates a shard of the parameters
};

// Finds the fastest plan, as `cnnplan solve` does, together with the plans that it is compared
// with. It uses all cores. @throws Error (bad_input) for a wrong field of the request, or a profile
// of another device than the platform's; Error (infeasible) if no plan fits into the memory of a
// rank
Plan solve(const Network& network,
           const Platform& platform,
           const Profile& profile,
           const Request& request);

// Reads a plan file.
Plan read_plan(const std::string& file);
// Returns the text of a plan file, which `cnnexec` runs. It names the files that were read.
std::string to_json(const Plan& plan);
// Writes to_json(plan) to a file, whole or not at all. @throws Error (io)
void write_plan(const Plan& plan, const std::string& file);

// Holds the predicted time of one operation of a step, such as a kernel or a halo exchange.
struct Operation {
  std::string id;            // equal in plan.json and run.json
  std::string part;          // of the step, such as "forward" or "halo"
  std::string layer;         // empty for operations that serve several layers
  double predicted_s = 0.0;  // mean over ranks, waiting included
  double critical_s = 0.0;   // its part of the critical path; all parts add up to the step
  bool estimated = false;    // the profile lacks its kernel
};

// Holds a predicted step of a training. Times are in seconds.
struct Prediction {
  double step_s = 0.0;
  double low_s = 0.0;                          // if every kernel takes the lower end of its range
  double high_s = 0.0;                         // if every kernel takes the upper end of its range
  double exposed_communication_s = 0.0;        // mean over ranks, waiting included
  std::int64_t memory_bytes = 0;               // of the rank that needs most
  std::int64_t available_bytes = 0;            // memory of a rank; 0: not known
  std::vector<std::string> estimated_kernels;  // kernels that the profile lacks
  std::vector<Operation> operations;           // in the order of the schedule of rank 0
};

// Returns the prediction that the plan holds.
Prediction prediction_of(const Plan& plan);
// Predicts the step of the plan on a machine, which may differ from the machine of the plan. Memory
// is not limited by the platform. @throws Error (bad_input) for a profile of another device
Prediction predict(const Plan& plan, const Platform& platform, const Profile& profile);

// Holds the predicted times of one layer, or of a group of operations without a layer.
struct LayerTimes {
  std::string name;
  std::string split;                      // such as "n2h2"; empty for a group
  double total_s = 0.0;                   // of all its operations, mean over ranks
  double critical_s = 0.0;                // on the critical path of the step
  bool estimated = false;                 // some of the times are estimates
  std::map<std::string, double> parts_s;  // by column of `cnnplan explain --wide`, without zeros
};

// Describes a plan that the plan is compared with.
struct Rival {
  std::string kind;  // "data_parallel" or "next"
  std::string plan;  // its name, such as "n64"
  int ranks = 1;
  double step_s = 0.0;
  std::int64_t memory_bytes = 0;  // of the rank that needs most
  bool fits = true;               // into the memory of a rank
};

// Says how often the plan stays faster than its closest rival if figures of the machine are wrong.
struct Sureness {
  int draws = 0;          // of errors of kernels and links
  int wins = 0;           // draws in which the plan is faster
  std::size_t rival = 0;  // the closest rival, an index of Explanation::rivals
  std::string figure;     // whose error decides most; empty: none explains a difference
};

// Holds what `cnnplan explain` prints.
struct Explanation {
  std::string network;
  int ranks = 1;
  std::int64_t batch = 1;
  bool is_data_parallel = false;
  double samples_per_s = 0.0;
  // The step of the fastest data-parallel run that fits, divided by the step of the plan. It is
  // missing if no such run fits.
  std::optional<double> times_data_parallel;
  std::vector<Rival> rivals;
  std::string why;  // a sentence with the reason for the plan; empty: the plan has no rival
  std::optional<Sureness> sure;    // missing for plans without draws
  std::vector<LayerTimes> layers;  // in the order of the network
  std::vector<LayerTimes> groups;  // such as "reduce" and "sgd"
  std::string summary;             // the lines with which `cnnplan explain` begins
};

// Explains a plan from its own values.
Explanation explain(const Plan& plan);

}  // namespace v1
}  // namespace cnnplan::api
