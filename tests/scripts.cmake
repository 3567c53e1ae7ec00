# Tests of the scripts; the include rule itself is checked here too.
foreach(name check_includes_test packages_test)
  add_test(NAME scripts_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${name})
  set_tests_properties(scripts_${name} PROPERTIES TIMEOUT 60)
endforeach()
add_test(NAME scripts_check_includes COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-includes)
