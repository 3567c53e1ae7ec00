# Tests of the scripts; the include rule itself is checked here too.
foreach(name check_includes_test packages_test)
  add_test(NAME scripts_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${name})
  set_tests_properties(scripts_${name} PROPERTIES TIMEOUT 60)
endforeach()
add_test(NAME scripts_check_includes COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-includes)
add_test(NAME scripts_platforms_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/platforms_test ${CMAKE_BINARY_DIR})
# What runs on a machine with a GPU, tried on this one.
if(CNNPLAN_EXECUTOR AND NOT CNNPLAN_SANITIZE)
  foreach(name gpu-bundle_test gpu-check_test)
    add_test(NAME scripts_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${name} ${CMAKE_BINARY_DIR})
    set_tests_properties(scripts_${name} PROPERTIES TIMEOUT 600 PROCESSORS 2 SKIP_RETURN_CODE 77)
  endforeach()
endif()
