"""Words that mean the same in a complaint, so that a question or an answer need not use the fact's own words.

Belongs here: families of words. Not here: what follows from a shared one.
"""

from functools import lru_cache

from servicebench_data.scenarios.vocabulary import OBJECTS, PEOPLE, stem

_FAMILIES = """
taxi cab uber; luggage bag bags baggage suitcase case trolley; trip ride journey drive; fare price cost charge pay
paid spend spent bill fee payment; shop store branch outlet; restaurant kitchen diner eatery; hotel property resort;
room suite; parcel package shipment; buy purchase bought purchased order ordered; arrive land reach; checkout depart
departure leave left; checkin arrival; staff employee colleague clerk agent representative rep; reception desk
receptionist frontdesk; waiter server waitress; shift lead; call phone ring rang dial contact; email mail; travel
fly flight; passenger traveller people party group family guest us; wait queue stand stood; refund reimburse; cancel
cancellation; deliver delivery dispatch; miss missing absent lack lost; break broken damage crack damaged; meal food
dinner lunch dish supper tea breakfast; burn smoke fire; clothes shirt trousers dress suit outfit clothing; pickup
collect collected pick picked; dropoff dropped; promise promised assure assured guarantee swear swore vow; shout
yell scream; rude impolite; chat talk spoke speak conversation; carry bring have held; throw bin dump tossed discard
chuck binned; hospital ward clinic infirmary; chemo chemotherapy; funeral memorial burial eulogy bury wake; ill sick
unwell poorly; infection infect infected; die died dead death late passed deceased; pregnant expecting pregnancy;
drop fall; closed unopened sealed shut; sleep slept awake; worry worried scared fear afraid frightened; cry cried
tears sob sobbing weep; treat present gift; threaten threat threats threatening; bounce bounced; money cash funds
savings; crash accident collision; panic breathe breathless; attack; fortnight weeks; child kid kids boy boys girl
girls children son daughter; laugh laughed laughing; probably likely doubtless; housebound homebound; birthday bday;
TV television telly set; visit see; refuse refused declined decline; remove take off waive; fine okay safe; heating
heater radiator; carton packet; bread loaf; milk; rent; landlord; foster fostering fostered; drawer; man guy bloke
fella chap gentleman; woman lady; dirt filth dirty filthy; alone self; suffice enough do; photo photos pictures
picture pics; street st; begin start started; end finish finished; big large huge; small little tiny; nan gran
grandma grandmother nana granny
"""


def _read_families() -> dict[str, str]:
    families: dict[str, str] = {}
    for entry in (entry.split() for entry in _FAMILIES.split(";")):
        for word in entry:
            families.setdefault(stem(word), entry[0])
    return families


_FAMILY = _read_families()


@lru_cache(maxsize=8192)
def find_family(word: str) -> str:
    """The name of a word's family: what it shares with words of the same meaning, or its own stem."""
    plain = word.lower().removesuffix("'s")
    name = PEOPLE.get(plain) or OBJECTS.get(plain) or plain
    return _FAMILY.get(stem(name)) or _FAMILY.get(stem(plain)) or stem(name)
