"""Writes a man page in the macros of man(7)."""

import re
import textwrap

COLUMNS = 79  # of the source, where nothing keeps a line together
OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)")
SENTENCE_END = re.compile(r"(?<=[a-z0-9)][.:?]) (?=[A-Z-])")
DEFAULT_FILE = re.compile(r"default: \[?([\w-]+\.[a-z]+[\w.]*)\]?")
KNOWN_SECTIONS = ("FILES", "EXAMPLES", "EXIT CODES")


def escaped(text):
    text = text.replace("\\", r"\e")
    for plain, name in (("-", r"\-"), ("'", r"\(aq"), ("^", r"\(ha"), ("~", r"\(ti"), ("`", r"\(ga")):
        text = text.replace(plain, name)
    return text


def no_request(line):
    """Returns a line that roff does not take for a request."""
    return r"\&" + line if line.startswith(".") else line


def with_bold_options(text):
    return "".join(rf"\fB{escaped(part)}\fR" if number % 2 else escaped(part)
                   for number, part in enumerate(OPTION.split(text)))


def wrapped(text):
    return textwrap.wrap(text, COLUMNS, break_on_hyphens=False, break_long_words=False)


def prose(text):
    """Returns lines of the source, with each sentence on lines of its own."""
    return [no_request(line) for part in SENTENCE_END.split(text) for line in wrapped(with_bold_options(part))]


def sentence(text):
    """Returns the text of an option as a sentence."""
    return text if text.endswith((".", "?")) else text + "."


def capital(text):
    return text[0].upper() + text[1:]


def tagged(tag, text):
    return [".TP", tag, *prose(text)]


def literal(lines):
    return [".EX", *(no_request(escaped(line)) for line in lines), ".EE"]


def bold(text):
    return rf"\fB{escaped(text)}\fR"


def usage(help_text):
    rest = help_text.usage.removeprefix(" ".join(help_text.words)).strip()
    words = " ".join(re.sub(r"(\w+)", r"\\fI\1\\fR", word) for word in rest.split())
    return [rf"{bold(' '.join(help_text.words))} {words}"]


def free_section(title, lines):
    """Returns a subsection. A paragraph with lines of its own indentation keeps its lines."""
    result = [f'.SS "{escaped(title)}"']
    for number, paragraph in enumerate("\n".join(lines).split("\n\n")):
        rows = [line[2:] for line in paragraph.split("\n")]
        if any(row.startswith(" ") for row in rows):
            lines_of_paragraph = literal(rows)
        else:
            lines_of_paragraph = prose(" ".join(rows))
        result += ([".PP"] if number else []) + lines_of_paragraph
    return result


def option_tag(option):
    value = rf"\fI{escaped(option.value)}\fR"
    names = ", ".join(bold(name) for name in option.names)
    if not option.value:
        return names
    return f"{names}[={value}]" if option.may_lack_value else f"{names} {value}"


def options(help_text):
    result = []
    for title, group in help_text.groups:
        result.append(f'.SS "{escaped(title)}"')
        for option in group:
            result += tagged(option_tag(option), sentence(option.text))
    return result


def examples(lines):
    """Pairs each command, which may go on after a backslash, with its note."""
    found = []
    for line in lines:
        if line.startswith("   ") and not found[-1][0][-1].endswith("\\"):
            found[-1][1].append(line.strip())
            continue
        command, _, note = line.strip().partition("   ")
        if line.startswith("   "):
            found[-1][0].append(command)
        else:
            found.append(([command], []))
        found[-1][1].extend([note.strip()] if note else [])
    return found


def example(command, notes):
    lines = literal(command)
    return [*lines, ".RS 4", *prose(sentence(" ".join(notes))), ".RE"] if notes else lines


def all_examples(help_text):
    """Returns the examples with a line between them."""
    result = []
    for command, notes in examples(help_text.sections["EXAMPLES"]):
        result += ([".PP"] if result else []) + example(command, notes)
    return result


def files(help_text):
    """Lists the files that the command takes or writes unless options name others."""
    if "FILES" in help_text.sections:
        return prose(" ".join(line.strip() for line in help_text.sections["FILES"]))
    found = {}
    for entry in [*help_text.arguments, *help_text.options]:
        name = DEFAULT_FILE.search(entry.text)
        if name:
            found.setdefault(name[1], entry.text.split(";")[0])
    return [line for name, text in found.items() for line in tagged(bold(name), sentence(text))]


def exit_status(help_text):
    lines = help_text.sections.get("EXIT CODES")
    if lines is None:
        return ["The codes are those of", r"\fBcnnplan\fR(1)."]
    pairs = (line.split(maxsplit=1) for line in lines)
    return [line for code, meaning in pairs for line in tagged(bold(code), sentence(capital(meaning)))]


def see_also(help_text, pages):
    others = [page for page in pages if page != help_text.page]
    return [rf"\fB\%{escaped(page)}\fR(1)" + ("," if page != others[-1] else "") for page in others]


def description(help_text):
    """Returns the summary, the commands, and all sections that have no place of their own."""
    result = prose(sentence(help_text.summary))
    if help_text.commands:
        result.append('.SS "Commands"')
    for command in help_text.commands:
        result += tagged(bold(command.name), sentence(command.text))
    for title, lines in help_text.sections.items():
        if title not in KNOWN_SECTIONS:
            result += free_section(title, lines)
    return result


def man_page(help_text, date, pages):
    """Returns the page of a program or command; `pages` are all that belong together."""
    name = help_text.page
    sections = {
        "NAME": wrapped(rf"{escaped(name)} \- {escaped(help_text.summary[0].lower() + help_text.summary[1:])}"),
        "SYNOPSIS": usage(help_text),
        "DESCRIPTION": description(help_text),
        "ARGUMENTS": [line for argument in help_text.arguments
                      for line in tagged(rf"\fI{escaped(argument.name)}\fR", sentence(argument.text))],
        "OPTIONS": options(help_text),
        "FILES": files(help_text),
        "EXAMPLES": all_examples(help_text),
        "EXIT STATUS": exit_status(help_text),
        "SEE ALSO": see_also(help_text, pages),
    }
    head = [r'.\" Made from --help by scripts/help-files.',
            f'.TH {escaped(name.upper())} 1 {date} "{help_text.version}" "User Commands"']
    return "\n".join(head + [line for title, lines in sections.items() if lines
                             for line in (f'.SH "{title}"', *lines)]) + "\n"
