"""Reads what --help of a program or command prints."""

import re
import subprocess
from dataclasses import dataclass, replace

DESCRIPTION_COLUMN = 26
LIMIT_S = 60
SECTION = re.compile(r"[A-Z][A-Z ]+")
GROUP = re.compile(r"([A-Z].*):")


@dataclass(frozen=True)
class Entry:
    """Holds an argument, or a command of a program."""
    name: str
    text: str


@dataclass(frozen=True)
class Option:
    names: tuple  # the short name first, where there is one
    value: str  # the word for its value, or nothing for a flag
    may_lack_value: bool
    text: str

    @property
    def long(self):
        return self.names[-1]

    @property
    def takes_next_word(self):
        return bool(self.value) and not self.may_lack_value


@dataclass(frozen=True)
class Help:
    words: tuple  # the program, and the command if there is one
    version: str  # such as "cnnplan 0.1.0"
    summary: str
    usage: str
    arguments: tuple
    groups: tuple  # pairs of a title and options
    commands: tuple
    sections: dict  # lines by title

    @property
    def page(self):
        return "-".join(self.words)

    @property
    def options(self):
        return [option for _, options in self.groups for option in options]


def entries(lines):
    """Joins the lines of each entry of a group."""
    found = []
    for line in lines:
        if line[2] != " ":
            # A name that reaches the descriptions has its description in the next line.
            fits = len(line) > DESCRIPTION_COLUMN and line[DESCRIPTION_COLUMN - 2:DESCRIPTION_COLUMN] == "  "
            found.append([line[:DESCRIPTION_COLUMN].strip() if fits else line.strip(), []])
        if line[2] == " " or fits:
            found[-1][1].append(line[DESCRIPTION_COLUMN:].strip())
    return tuple(Entry(name, " ".join(texts)) for name, texts in found)


def option(entry):
    names, _, value = entry.name.replace(", ", ",").partition(" ")
    may_lack_value = "[=" in names
    if may_lack_value:
        names, value = names.rstrip("]").split("[=")
    return Option(tuple(names.split(",")), value, may_lack_value, entry.text)


def blocks(text):
    """Yields the title and the lines of each group and section. A section may have empty lines."""
    title, lines = None, []
    for line in text.splitlines():
        is_title = SECTION.fullmatch(line) or GROUP.fullmatch(line)
        if is_title and title:
            yield title, "\n".join(lines).strip("\n").split("\n")
        if is_title:
            title, lines = line, []
        else:
            lines.append(line)
    if title:
        yield title, "\n".join(lines).strip("\n").split("\n")


def parse(words, version, text):
    head, _, rest = text.partition("\nUsage: ")
    usage, _, rest = rest.partition("\n")
    arguments, groups, commands, sections = (), [], (), {}
    for title, lines in blocks(rest):
        if SECTION.fullmatch(title):
            sections[title] = lines
        elif title == "Arguments:":
            arguments = entries(lines)
        elif title == "Commands:":
            commands = entries(lines)
        else:
            groups.append((title[:-1], tuple(map(option, entries(lines)))))
    summary = " ".join(head.split())
    summary = re.sub(r"^cnn[\w -]*: ", "", summary)
    return Help(words, version, summary[0].upper() + summary[1:], usage, arguments, tuple(groups), commands, sections)


def output(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=LIMIT_S, check=True).stdout


def passed_on(command, program):
    """Returns the help of what follows "--" after a command: the options of the program that the command starts.

    The plan is left out, since it is an argument of the command itself."""
    groups = tuple((title, tuple(option for option in options if option.long != "--strategy"))
                   for title, options in program.groups)
    return replace(program, words=(*command.words[:-1], f"{command.words[-1]} --"), arguments=(), groups=groups)


def help_of(folder, program):
    """Returns the help of a program and of its commands. A command whose own program is not built is left out."""
    path = folder / program
    version = output(path, "--version").split("\n", maxsplit=1)[0]
    main = parse((program,), version, output(path, "--help"))
    found = [main]
    for command in main.commands:
        own_program = folder / f"{program}-{command.name}"
        if command.name != "profile" or own_program.exists():
            found.append(parse((program, command.name), version, output(path, command.name, "--help")))
    return found
