"""Prompt files: Markdown with front matter, rendered strictly, untrusted text fenced as data.

Belongs here: reading a prompt file and filling it in. Not here: what a task says (its file lies beside the task).

A file begins with front matter (`name`, `record`, and `trusted`, a list of variables that hold our own texts), then has
a part under `# System` and one under `# User`, both Jinja2 templates. Every variable that is not trusted is rendered
inside a tag of its name, which the text cannot open or close, and may stand under `# User` only.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import jinja2.meta
import yaml

FRONT = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
PARTS = re.compile(r"\A\s*# System[ ]*\n(?P<system>.*?)^# User[ ]*\n(?P<user>.*)\Z", re.DOTALL | re.MULTILINE)
FRONT_NAMES = {"name", "record", "trusted"}

# Signs by which chat templates of local servers tell roles apart; some servers read them inside a message, too.
CONTROL = r"\|[a-z_]|/?s>|/?(?:start|end)_of_turn>|/?think(?:ing)?>|bos>|eos>"
BRACKETS = re.compile(r"\[(?=/?INST\])|<(?=<SYS>>|</SYS>>)", re.IGNORECASE)


class PromptError(ValueError):
    """A prompt file or its variables are not as they must be; the message names file, variable and remedy."""


class Rendered(NamedTuple):
    """A prompt filled in."""

    system: str
    user: str


@dataclass(frozen=True)
class Prompt:
    """A prompt file.

    Attributes:
        name: Name of the prompt.
        record: Name of the record that an answer must fit.
        digest: SHA-256 of the file's text.
        system: Template of the system message; trusted variables only.
        user: Template of the user message.
        trusted: Variables that hold our own texts.
        variables: All variables of both templates.
        path: The file, for error messages.
    """

    name: str
    record: str
    digest: str
    system: str
    user: str
    trusted: frozenset[str]
    variables: frozenset[str]
    path: str

    @property
    def fenced(self) -> frozenset[str]:
        """Variables that hold text from outside; each is rendered inside a tag of its name."""
        return self.variables - self.trusted

    def render(self, variables: Mapping[str, str]) -> Rendered:
        """Fill in the variables.

        Raises:
            PromptError: A variable is missing, or one is given that the prompt does not use.
        """
        missing, unused = self.variables - set(variables), set(variables) - self.variables
        if missing or unused:
            raise PromptError(
                f"prompt {self.path!r} lacks variables {sorted(missing)} and does not use {sorted(unused)}; "
                "give exactly those that it names."
            )
        values = {
            name: Fenced(name, text, self.fenced) if name in self.fenced else text for name, text in variables.items()
        }
        return Rendered(fill(self.system, values), fill(self.user, values))


@dataclass(frozen=True)
class Fenced:
    """Text from outside, which a template renders inside a tag; false where it is empty."""

    name: str
    text: str
    tags: frozenset[str]

    def __str__(self) -> str:
        return f"<{self.name}>\n{neutralise(self.text, self.tags)}\n</{self.name}>"

    def __bool__(self) -> bool:
        return bool(self.text)


def neutralise(text: str, tags: frozenset[str]) -> str:
    """The text with the first sign of each stretch that could pass for a tag of ours or a chat template's changed."""
    names = "|".join(re.escape(tag) for tag in sorted(tags))
    pattern = rf"<(?=\s*/?\s*(?:{names})\b|{CONTROL})" if names else rf"<(?={CONTROL})"
    return BRACKETS.sub("‹", re.sub(pattern, "‹", text, flags=re.IGNORECASE))


def environment() -> jinja2.Environment:
    """Strict templates: a missing variable raises, and line ends stay as they are."""
    return jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=False)  # noqa: S701  (text for a model, not HTML)


@cache
def compile_template(template: str) -> jinja2.Template:
    """A template that is compiled once."""
    return environment().from_string(template)


def fill(template: str, values: Mapping[str, Any]) -> str:
    """A rendered template without blank ends."""
    return compile_template(template).render(values).strip()


def load_prompt(path: Path) -> Prompt:
    """Read a prompt file.

    Raises:
        PromptError: It has no front matter, no two parts, or an untrusted variable in its system part.
    """
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    found = FRONT.match(text)
    parts = PARTS.match(found["body"]) if found else None
    if not found or not parts:
        raise PromptError(f"prompt {str(path)!r} must have front matter between `---`, then `# System` and `# User`.")
    front = read_front(found["front"], path)
    system, user = parts["system"].strip(), parts["user"].strip()
    in_system, in_user = find_variables(system, path), find_variables(user, path)
    trusted = frozenset(front["trusted"])
    refuse_misplaced(path, trusted, in_system, in_user)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Prompt(front["name"], front["record"], digest, system, user, trusted, in_system | in_user, str(path))


def read_front(text: str, path: Path) -> dict[str, Any]:
    """Front matter with its defaults.

    Raises:
        PromptError: A name is missing or unknown.
    """
    front = yaml.safe_load(text)
    if not isinstance(front, dict) or set(front) - FRONT_NAMES or not {"name", "record"} <= set(front):  # pyright: ignore[reportUnknownArgumentType]
        raise PromptError(f"prompt {str(path)!r}: front matter must hold `name`, `record` and at most `trusted`.")
    return {"trusted": [], **front}


def find_variables(template: str, path: Path) -> frozenset[str]:
    """Variables that a template names.

    Raises:
        PromptError: It is no template.
    """
    try:
        return frozenset(jinja2.meta.find_undeclared_variables(environment().parse(template)))
    except jinja2.TemplateSyntaxError as error:
        raise PromptError(f"prompt {str(path)!r}: {error.message}; mend the template.") from error


def refuse_misplaced(path: Path, trusted: frozenset[str], in_system: frozenset[str], in_user: frozenset[str]) -> None:
    """Raise PromptError for untrusted variables in the system part, and for trusted ones that stand nowhere."""
    if in_system - trusted:
        raise PromptError(
            f"prompt {str(path)!r} has {sorted(in_system - trusted)} under `# System`; text from outside belongs under "
            "`# User`, or list the variable as trusted if it is ours."
        )
    if trusted - in_system - in_user:
        raise PromptError(f"prompt {str(path)!r} trusts {sorted(trusted - in_system - in_user)}, which it never uses.")
