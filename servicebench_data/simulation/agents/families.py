"""Model families by name, so that self-play and judges of one's own family can be told.

Belongs here: from a litellm name to a family. Not here: what follows from it.
"""

import re

OFFLINE = "offline"
#: Families by how a model's own name begins; the first that fits counts.
FAMILIES: tuple[tuple[str, str], ...] = (
    ("gpt", r"gpt|chatgpt|o[1-9](?:-|$)|text-davinci|davinci|codex"),
    ("claude", r"claude"),
    ("gemini", r"gemini|gemma|palm|bison"),
    ("qwen", r"qwen|qwq|qvq"),
    ("llama", r"llama|meta-llama|codellama"),
    ("mistral", r"mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|open-mi[sx]tral"),
    ("deepseek", r"deepseek"),
    ("grok", r"grok"),
    ("command", r"command|c4ai|aya"),
    ("phi", r"phi[-_.]?\d"),
    ("nova", r"nova[-_]"),
    ("glm", r"glm|chatglm"),
    ("kimi", r"kimi|moonshot"),
    ("minimax", r"minimax|abab"),
    ("yi", r"yi-"),
    ("granite", r"granite"),
    ("nemotron", r"nemotron"),
    ("olmo", r"olmo|tulu"),
)
_PARTS = re.compile(r"[/:@]|(?<=anthropic)\.|(?<=amazon)\.|(?<=meta)\.|(?<=mistral)\.|(?<=cohere)\.|(?<=deepseek)\.")


def find_family(model: str) -> str:
    """Family of a model; a distilled one is of the family that its name ends in, an unknown name is its own family.

    Args:
        model: A name as litellm takes it, such as `openrouter/anthropic/claude-sonnet-4`, or `offline`.
    """
    name = model.strip().lower()
    if name == OFFLINE or not name:
        return OFFLINE
    own = [part for part in _PARTS.split(name) if part]
    for part in reversed(own):
        found = next((family for family, start in FAMILIES if re.match(start, find_base(part))), None)
        if found:
            return found
    return own[-1] if own else name


def find_base(name: str) -> str:
    """What a distilled model was made from, by the usual form of such names (`x-distill-y`); else the name itself."""
    return name.rsplit("distill-", 1)[-1]
