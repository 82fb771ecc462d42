"""Whether a message names what this customer went through, as something real and bad for them.

Belongs here: that flag. Not here: apologies as such (`apologies.py`).

A sentence counts where it holds matter of this case and a frame that takes it to heart: hardship or a judgement in so
many words, an apology for what the customer had to bear, or a burden told with the customer in it. A bare exclamation,
or a bare apology behind it, counts with the matter of its neighbour.
"""

from collections.abc import Sequence

from servicebench_data.simulation.gate.lexicon import has, pattern
from servicebench_data.simulation.gate.paths import leads
from servicebench_data.simulation.gate.provocations import find_offence
from servicebench_data.simulation.gate.sentences import Sentence
from servicebench_data.simulation.gate.wording import is_conditional, is_sarcastic, list_matters

#: Words of case that make a matter; one may be a slip.
ENOUGH = 2


def find_harm(sentences: Sequence[Sentence]) -> str | None:
    """The words that acknowledge the harm."""
    for index, sentence in enumerate(sentences):
        text = cut_offence(sentence.text)
        if is_shut(text, is_question=sentence.is_question):
            continue
        if acknowledges(text) or is_regretted(sentences, index) or is_bemoaned(sentences, index):
            return sentence.quote()
    return None


def cut_offence(text: str) -> str:
    """The words before a "but" that leads to an offence; nothing where the offence stands before it."""
    offence = find_offence(text)
    return text if offence is None else text[: offence[0]].rpartition("but")[0]


def is_shut(text: str, *, is_question: bool) -> bool:
    """Whether a sentence cannot acknowledge anything: it doubts, scorns, asks or only supposes."""
    if is_question and (has("harm.question_lead", text) or not (has("harm.hard", text) or has("harm.sorrow", text))):
        return True
    return has("harm.not_meant", text) or has("harm.own_pain", text) or is_sarcastic(text) or is_conditional(text[:30])


def acknowledges(text: str) -> bool:
    """Whether a sentence holds matter and a frame that takes it to heart."""
    matters = len(list_matters(text))
    is_borne = has("harm.borne", text)
    if matters and is_sorry_for_burden(text, is_full=matters >= ENOUGH):
        return True
    if matters >= ENOUGH and (has("harm.hard", text) or has("harm.judged", text)):
        return is_borne or not has("harm.ours", text)
    if matters and has("harm.contrast", text):
        return True
    is_lived = is_borne or pattern("harm.generic").match(text.lstrip(" ,'")) is not None
    return is_lived and matters >= ENOUGH and len(set(pattern("harm.burden").findall(text))) >= ENOUGH


def is_sorry_for_burden(text: str, *, is_full: bool) -> bool:
    """Whether a sentence is sorry for what the customer had to bear, or for a detail that makes it theirs."""
    if not has("harm.sorrow", text):
        return False
    return has("harm.detail", text) or (has("harm.borne", text) and (is_full or has("harm.burden", text)))


def is_regretted(sentences: Sequence[Sentence], index: int) -> bool:
    """Whether a sentence tells what befell the customer, and the next one only says sorry for it."""
    after = sentences[index + 1 : index + 2]
    return is_told(sentences[index]) and any(
        len(near.text.split()) <= 6 and has("harm.sorrow", near.text) for near in after
    )


def is_bemoaned(sentences: Sequence[Sentence], index: int) -> bool:
    """Whether a sentence is a short word of hardship or judgement, and its neighbour tells what befell the customer."""
    text = sentences[index].text
    is_word = len(text.split()) <= 9 and (has("harm.hard", text) or has("harm.judged", text))
    if not is_word or len(list_matters(text)) >= ENOUGH:
        return False
    near = [sentences[place] for place in (index - 1, index + 1) if 0 <= place < len(sentences)]
    return any(not is_shut(entry.text, is_question=entry.is_question) and is_told(entry) for entry in near)


def is_told(sentence: Sentence) -> bool:
    """Whether a sentence tells what befell the customer, and not what the company does about it."""
    text = sentence.text
    is_theirs = has("harm.borne", text) or has("harm.generic", text) or (" you" in text and has("harm.burden", text))
    is_ours = has("harm.own_deed", text) or leads(text, is_question=False)
    return is_theirs and not is_ours and len(list_matters(text)) >= ENOUGH
