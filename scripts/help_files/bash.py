"""Writes the completion of a program for bash. It needs no package of completions."""

import shlex

from help_files.layers import NAMES_OF_LAYERS

FUNCTIONS = r"""# Completes the command line of @PROGRAM@ in bash. Made from --help by scripts/help-files.

# Replies with the layers of the first plan on the line, else of plan.json.
_@ID@_layers() {
  local word
  local -a names
  for word in "${COMP_WORDS[@]:1}" plan.json; do
    [[ -f $word ]] || continue
    mapfile -t names < <(sed -n '@LAYERS@' -- "$word" 2>/dev/null)
    ((${#names[@]})) && break
  done
  _@ID@_reply "$1" '' "${names[@]}"
}

# Replies with the words that begin like the current one, and with files of some endings, or any file for '*'.
_@ID@_reply() {
  local current=$1 endings=$2 word ending
  shift 2
  for word in "$@"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
  [[ -z $endings ]] && return
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(if [[ $endings == '*' ]]; then
             compgen -f -- "$current"
           else
             compgen -d -- "$current"
             for ending in $endings; do
               compgen -f -X "!*.$ending" -- "$current"
             done
           fi)
}
"""

MAIN = r"""
_@ID@() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=@COMMAND@
  COMPREPLY=()
  # --option=value is three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]] && ((COMP_CWORD > 2)); then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "$command $previous" in
@VALUES@
  esac
  case "$command" in
@WORDS@
  esac
}

complete -F _@ID@ @PROGRAM@
"""

# The command is the second word, once the cursor is after it. After "--", it is a command of its own.
COMMAND_OF_LINE = """${COMP_WORDS[1]} word
  ((COMP_CWORD > 1)) || command=''
  for word in "${COMP_WORDS[@]:0:COMP_CWORD}"; do
    [[ $word != -- ]] || command="${COMP_WORDS[1]} --"
  done"""


def reply(values):
    if values.layer:
        return '_@ID@_layers "$current"'
    endings = "/" if values.folder else " ".join(values.suffixes)
    words = "".join(" " + shlex.quote(name) for name in values.names)
    return f'_@ID@_reply "$current" {shlex.quote(endings)}{words}'


def value_cases(help_text, command, catalogue):
    """Returns what follows each option that takes a value. Options with the same values are one case."""
    patterns = {}
    for option in help_text.options:
        if option.takes_next_word:
            names = [shlex.quote(f"{command} {name}") for name in option.names]
            patterns.setdefault(reply(catalogue.of_option(option)), []).extend(names)
    return [f"    {' | '.join(names)})\n      {answer}\n      return ;;" for answer, names in patterns.items()]


def word_case(help_text, command, catalogue):
    """Returns what a word may be that follows no such option."""
    options = " ".join(option.long for option in help_text.options)
    lines = [f"    {shlex.quote(command)})", "      if [[ $current == -* ]]; then",
             f'        _@ID@_reply "$current" \'\' {options}', "      else"]
    if help_text.commands:
        names = " ".join(entry.name for entry in help_text.commands)
        lines.append(f'        _@ID@_reply "$current" \'\' {names}')
    for argument in help_text.arguments:
        lines.append(f"        {reply(catalogue.of_argument(argument))}")
    if not help_text.commands and not help_text.arguments:
        lines.append("        :")
    return "\n".join([*lines, "      fi ;;"])


def completion(helps, catalogue):
    """Returns the completion of a program, whose help comes first, and of its commands."""
    program = helps[0].words[0]
    named = [(text, " ".join(text.words[1:])) for text in helps]
    values = "\n".join(line for text, command in named for line in value_cases(text, command, catalogue))
    words = "\n".join(word_case(text, command, catalogue) for text, command in named)
    text = FUNCTIONS + MAIN.replace("@VALUES@", values).replace("@WORDS@", words)
    text = text.replace("@COMMAND@", COMMAND_OF_LINE if len(helps) > 1 else "''")
    return (text.replace("@LAYERS@", NAMES_OF_LAYERS).replace("@ID@", program.replace("-", "_"))
            .replace("@PROGRAM@", program))
