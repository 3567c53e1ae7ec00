"""Writes the completion of a program for zsh, with the arguments of _arguments."""

from help_files.layers import NAMES_OF_LAYERS
from help_files.values import ANY_FILE

FUNCTIONS = r"""#compdef @PROGRAM@
# Completes the command line of @PROGRAM@ in zsh. Made from --help by scripts/help-files.

# Adds the layers of the first plan on the line, else of plan.json.
_@ID@_layers() {
  local word
  local -a names
  for word in $words plan.json; do
    [[ -f ${(Q)word} ]] || continue
    names=(${(f)"$(sed -n '@LAYERS@' -- ${(Q)word} 2>/dev/null)"})
    (( $#names )) && break
  done
  compadd "$@" -a names
}
"""


def quoted(text):
    return "'" + text.replace("'", r"'\''") + "'"


def summary(text):
    """Returns the first part of a description, for a line of a menu."""
    first = text.split(";")[0].split(". ")[0]
    for character in "\\[]:":
        first = first.replace(character, "\\" + character)
    return first


class Actions:
    """Collects the functions that add names together with files."""

    def __init__(self):
        self.functions = {}

    def of(self, values):
        """Returns the action of _arguments for values."""
        files = "_files"
        if values.folder:
            return "_files -/"
        if values.layer:
            return "_@ID@_layers"
        if values.suffixes and values.suffixes != ANY_FILE:
            files = f'_files -g "*.({"|".join(values.suffixes)})(-.)"'
        names = f"({' '.join(values.names)})"
        if values.names and values.suffixes:
            return self.functions.setdefault((names, files), f"_@ID@_names_or_files_{len(self.functions)}")
        return names if values.names else files if values.suffixes else " "

    def text(self):
        parts = ((name, quoted(f"names:name:{names}"), quoted(f"files:file:{files}"))
                 for (names, files), name in self.functions.items())
        return "".join(f"\n{name}() {{\n  _alternative {names} {files}\n}}\n" for name, names, files in parts)


def option_spec(option, values, actions):
    repeats = "*" if "may be repeated" in option.text else ""
    names = [name + ("" if not option.value else "=-" if option.may_lack_value
                    else "=" if name.startswith("--") else "+")
             for name in option.names]
    colons = "::" if option.may_lack_value else ":"
    action = f"{colons}{option.value.replace(':', ' ')}:{actions.of(values)}" if option.value else ""
    rest = quoted(f"[{summary(option.text)}]{action}")
    if len(names) == 1:
        return f"{quoted(repeats + names[0])}{rest}"
    return f"{quoted('' if repeats else '(' + ' '.join(option.names) + ')')}{repeats}{{{','.join(names)}}}{rest}"


def argument_spec(help_text, argument, catalogue, actions):
    prefix = "*:" if f"{argument.name}..." in help_text.usage else ":"
    return quoted(f"{prefix}{argument.name}:{actions.of(catalogue.of_argument(argument))}")


def specs(help_text, catalogue, actions):
    return [*(option_spec(option, catalogue.of_option(option), actions) for option in help_text.options),
            *(argument_spec(help_text, argument, catalogue, actions) for argument in help_text.arguments)]


def call(arguments, indent):
    separator = " \\\n" + indent + "  "
    return f"{indent}_arguments" + separator + separator.join(arguments)


def commands_function(helps, catalogue, actions):
    main, *others = helps
    names = "\n".join(f"    {quoted(f'{entry.name}:{summary(entry.text)}')}" for entry in main.commands)
    cases = "\n".join(f"    {quoted(text.words[1])})\n{call(specs(text, catalogue, actions), '      ')} ;;"
                      for text in others)
    top = call(["-C", *specs(main, catalogue, actions), "'1:command:->command'", "'*::argument:->argument'"], "  ")
    return f"""
_@ID@() {{
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
{names}
  )
{top} && return
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  local name=$line[1]
  integer dashes=$words[(i)--]
  if (( dashes < CURRENT )); then
    name+=' --'
    words=("${{(@)words[dashes,-1]}}")
    (( CURRENT -= dashes - 1 ))
  fi
  case $name in
{cases}
  esac
}}
"""


def completion(helps, catalogue):
    """Returns the completion of a program, whose help comes first, and of its commands."""
    program = helps[0].words[0]
    actions = Actions()
    if helps[0].commands:
        main = commands_function(helps, catalogue, actions)
    else:
        main = f"\n_@ID@() {{\n{call(specs(helps[0], catalogue, actions), '  ')}\n}}\n"
    text = FUNCTIONS + actions.text() + main + '\n_@ID@ "$@"\n'
    return (text.replace("@LAYERS@", NAMES_OF_LAYERS).replace("@ID@", program.replace("-", "_"))
            .replace("@PROGRAM@", program))
