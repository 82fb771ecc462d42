"""The main language of a dialogue's customer side."""

import pytest

from servicebench_data.dialogues.language import identify_languages


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("how do i dispute a charge?", "en"),
        ("lol thx bro yall trippin fr fr deadass delayed again smh", "en"),
        ("flight canx'd no reb00k, ur trash", "en"),
        ("WORST AIRLINE EVERRRR 😡😡", "en"),
        ("llevo dos días esperando mi maleta y nadie contesta el teléfono", "es"),
        ("Mein Gepäck ist nicht angekommen und keiner hilft", "de"),
        ("Je suis très déçu du service, aucune réponse depuis lundi", "fr"),
        ("問題解決しました、ありがとうございます", "ja"),
        ("Great! Gracias! my flight was fine, thanks for the help", "en"),
        ("ok", "und"),
        ("@sprintcare ok", "und"),
        ("[link] [person-1] 🙄 #fail", "und"),
        ("", "und"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert identify_languages([text]) == [language]


def test_answers_are_the_same_every_time_and_in_any_company() -> None:
    texts = ["so late again", "hola que tal amigo", "Jsem velmi zklamaný ze služeb", "so late again"]
    first = identify_languages(texts)
    assert all(identify_languages(texts) == first for _ in range(20))
    assert [identify_languages([text])[0] for text in texts] == first
