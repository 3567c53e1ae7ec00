# Walks over the targets of the project, for files that change how all of them are compiled.

# Appends to the list `result` all targets of a folder, and of the folders below it, that are compiled.
function(cnnplan_compiled_targets folder result)
  set(found ${${result}})
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "INTERFACE|UTILITY")
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder ${subfolders})
    cnnplan_compiled_targets(${subfolder} found)
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
