# The link profiler measures through executor/comm and fits with Eigen.
add_library(cnnplan_links STATIC
  curve_timer.cpp
  links_fit.cpp
  links_measure.cpp
  links_platform.cpp
  local_costs.cpp
  repetition_timer.cpp
  sum_check.cpp
  sweep_budget.cpp
)
target_link_libraries(cnnplan_links PUBLIC cnnplan_flags cnnplan_platform cnnplan_run cnnplan_comm
                      PRIVATE cnnplan_backend cnnplan_cost Eigen3::Eigen)
