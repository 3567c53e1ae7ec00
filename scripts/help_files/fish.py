"""Writes the completion of a program for fish."""

from help_files.layers import NAMES_OF_LAYERS
from help_files.values import ANY_FILE

FUNCTIONS = r"""# Completes the command line of @PROGRAM@ in fish. Made from --help by scripts/help-files.

# True after the command, or before any if none is given. With "--", true only after this word.
function __@ID@_command
    set -l words (commandline -opc)
    if set -q argv[1]
        test "$words[2]" = $argv[1]; or return
        if set -q argv[2]
            contains -- -- $words
        else
            not contains -- -- $words
        end
    else
        test (count $words) -eq 1
    end
end

# True after one of these options.
function __@ID@_value
    set -l words (commandline -opc)
    contains -- $words[-1] $argv
end

# Prints folders, and files of some endings.
function __@ID@_files
    set -l current (commandline -ct | string replace -r -- '^--[^=]*=' '')
    __fish_complete_path $current | string match -r -- '^.*(?:/|\.(?:'(string join '|' $argv)'))(?:\t.*)?$'
end

# Prints the layers of the first plan on the line, else of plan.json.
function __@ID@_layers
    for word in (commandline -opc) plan.json
        test -f "$word"; or continue
        set -l names (sed -n '@LAYERS@' -- $word 2>/dev/null)
        if set -q names[1]
            printf '%s\n' $names
            return
        end
    end
end

# Files are offered where an option or argument takes them, and nowhere else.
complete -c @PROGRAM@ -f
"""


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def summary(text):
    return text.split(";")[0].split(". ")[0]


def candidates(values):
    """Returns what is offered, in the syntax of complete -a."""
    if values.layer:
        return "(__@ID@_layers)"
    if values.folder:
        return "(__fish_complete_directories)"
    parts = list(values.names)
    if values.suffixes and values.suffixes != ANY_FILE:
        parts.append(f"(__@ID@_files {' '.join(values.suffixes)})")
    return " ".join(parts)


def offer(values):
    """Returns the options of complete for values."""
    if values.suffixes == ANY_FILE:
        return " -F"
    text = candidates(values)
    return " -f" + (f" -a {quoted(text)}" if text else "")


def names_of(option):
    return "".join(f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names)


def lines_of(help_text, catalogue, condition):
    start = "complete -c @PROGRAM@" + condition
    for option in help_text.options:
        value = (" -r" if option.takes_next_word else "") + offer(catalogue.of_option(option)) if option.value else ""
        yield f"{start}{names_of(option)}{value} -d {quoted(summary(option.text))}"
    for argument in help_text.arguments:
        yield start + offer(catalogue.of_argument(argument))


def lines_after_dashes(help_text, catalogue, condition):
    """Yields lines for the options of another program. After "--", fish takes options for arguments."""
    taking = [name for option in help_text.options if option.takes_next_word for name in option.names]
    for option in help_text.options:
        yield (f"complete -c @PROGRAM@ -n '{condition}; and not __@ID@_value {' '.join(taking)}' -f -a {option.long}"
               f" -d {quoted(summary(option.text))}")
        if option.takes_next_word:
            yield (f"complete -c @PROGRAM@ -n '{condition}; and __@ID@_value {' '.join(option.names)}'"
                   f"{offer(catalogue.of_option(option))}")


def completion(helps, catalogue):
    """Returns the completion of a program, whose help comes first, and of its commands."""
    program = helps[0].words[0]
    main, *others = helps
    lines = list(lines_of(main, catalogue, " -n __@ID@_command" if main.commands else ""))
    for entry in main.commands:
        lines.append(f"complete -c @PROGRAM@ -n __@ID@_command -a {entry.name} -d {quoted(summary(entry.text))}")
    for text in others:
        condition = f"__@ID@_command {text.words[1]}"
        lines += (lines_after_dashes(text, catalogue, condition) if text.words[1].endswith(" --")
                  else lines_of(text, catalogue, f" -n '{condition}'"))
    text = FUNCTIONS + "\n".join(lines) + "\n"
    return (text.replace("@LAYERS@", NAMES_OF_LAYERS).replace("@ID@", program.replace("-", "_"))
            .replace("@PROGRAM@", program))
