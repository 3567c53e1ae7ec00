# Brings the files of the packages into the form that Debian wants. CPack runs this script between the
# installation into its own folder and the packing.

# Writes a compressed copy next to a file, without a time stamp, and removes the file.
function(compress file)
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Writes copyright and changelogs into the folder of documents of a package.
function(add_documents package usr)
  set(folder ${usr}/share/doc/${package})
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${folder}/changelog
       "${package} (${CPACK_PACKAGE_VERSION}) stable; urgency=medium\n\n"
       "  * CHANGELOG.md.gz in this folder lists the changes.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(COPY ${CPACK_CNNPLAN_SOURCE}/CHANGELOG.md ${CPACK_CNNPLAN_SOURCE}/packaging/debian/copyright
       DESTINATION ${folder})
  file(CHMOD ${folder} PERMISSIONS ${CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
  foreach(name changelog CHANGELOG.md copyright)
    file(CHMOD ${folder}/${name} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endforeach()
  compress(${folder}/changelog)
  compress(${folder}/CHANGELOG.md)
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  file(GLOB pages ${usr}/share/man/man1/*.1)
  foreach(page ${pages})
    compress(${page})
  endforeach()
  # Debian's zsh looks for completions of packages in this folder.
  if(EXISTS ${usr}/share/zsh/site-functions)
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
  add_documents(${CPACK_DEBIAN_${upper}_PACKAGE_NAME} ${usr})
endforeach()
