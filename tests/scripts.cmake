# Declares the tests of the scripts and of the include rules. With sanitizers, they are left out,
# since they reach no code that the tests of the programs do not reach.
if(CNNPLAN_SANITIZE)
  return()
endif()
foreach(path checks/check_house_test checks/check_includes_test checks/per_file_test checks/plan_comparison_test
             checks/source_groups_test documents_test gpu-check-parts_test demo_test packages_test benchmarks/peer_test)
  get_filename_component(name ${path} NAME)
  add_test(NAME scripts_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${path})
  set_tests_properties(scripts_${name} PROPERTIES TIMEOUT 300)
endforeach()
# This test compiles small kernels with nvcc.
add_test(NAME scripts_ptx_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/checks/ptx_test)
set_tests_properties(scripts_ptx_test PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
foreach(what man bash zsh fish)
  add_test(NAME scripts_help-files_test_${what}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/help-files_test ${CMAKE_BINARY_DIR} ${what})
  set_tests_properties(scripts_help-files_test_${what} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endforeach()
if(CNNPLAN_EXECUTOR)
  foreach(what github gitlab)
    add_test(NAME scripts_ci-jobs_test_${what}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/ci-jobs_test ${CMAKE_BINARY_DIR} ${what})
    set_tests_properties(scripts_ci-jobs_test_${what} PROPERTIES
      TIMEOUT 900 COST 60 PROCESSORS 2 SKIP_RETURN_CODE 77)
  endforeach()
endif()
add_test(NAME scripts_platforms_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/platforms_test ${CMAKE_BINARY_DIR})
add_test(NAME scripts_affected-tests_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/checks/affected-tests_test ${CMAKE_BINARY_DIR})
set_tests_properties(scripts_affected-tests_test PROPERTIES TIMEOUT 300)
foreach(path deepbench-profile_test fit-kernel-rates_test studies/gpu-roofline_test studies/published-ring_test
             studies/published-tables_test)
  get_filename_component(name ${path} NAME)
  add_test(NAME scripts_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${path} ${CMAKE_BINARY_DIR})
  set_tests_properties(scripts_${name} PROPERTIES TIMEOUT 600)
endforeach()
# These scripts are made for a machine with a GPU. The tests run them on this machine.
if(CNNPLAN_EXECUTOR)
  foreach(name gpu-bundle_test gpu-check_test)
    add_test(NAME scripts_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${name} ${CMAKE_BINARY_DIR})
    set_tests_properties(scripts_${name} PROPERTIES TIMEOUT 600 PROCESSORS 2 SKIP_RETURN_CODE 77)
  endforeach()
  # This test needs PyTorch, which scripts/setup installs with --bench only.
  add_test(NAME scripts_campaign_networks_test
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/campaigns/networks_test ${CMAKE_BINARY_DIR})
  set_tests_properties(scripts_campaign_networks_test PROPERTIES
    TIMEOUT 600 COST 60 PROCESSORS 2 SKIP_RETURN_CODE 77)
  # This test runs programs on an emulated GPU, where the build has such programs.
  add_test(NAME scripts_gpu-check-failures_test
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/gpu-check-failures_test ${CMAKE_BINARY_DIR})
  set_tests_properties(scripts_gpu-check-failures_test PROPERTIES
    TIMEOUT 900 COST 60 PROCESSORS 2 SKIP_RETURN_CODE 77)
endif()
