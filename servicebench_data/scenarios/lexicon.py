"""Word lists of the extraction: products, staff roles, counted things, and words that only look like them.

Belongs here: words. Not here: patterns or rules.
"""

from servicebench_data.scenarios.wordlists import word_set


def _split(text: str) -> tuple[str, ...]:
    return tuple(" ".join(entry.split()) for entry in text.split("|") if entry.strip())


#: Named goods and services; longer ones first. Entries are regular expressions without groups.
PRODUCTS = _split(
    r"""
    main cabin extra|main cabin|comfort ?(?:\+|plus)|economy plus|even more space|basic economy|premium economy|first
    class|business class|delta one
    |business select|early bird(?: check-?in)?|priority boarding|food vouchers?|meal vouchers?|drink (?:vouchers?
    |coupons?)|hotel vouchers?|gift ?cards?|vouchers?
    |uber ?(?:black|pool|x|xl|eats|select)|lyft line|promo code|iphone(?: (?:x|\d+s?(?: plus)?))?|ipad|laptop|macbook
    |airpods|headphones|car ?seat|stroller|guitar|golf clubs|suitcase
    |wheelchair|passport|wallet|phone|purse|backpack|xbox(?: one)?|ps ?[45]|nintendo switch|tv|crib(?: bedding)?
    |bedding|mattress|sofa|couch|dresser|microwave|vacuum|fridge
    |bike|diapers|formula|big mac|mc ?(?:chicken|flurry|double|muffin|griddle)s?|quarter pounder|happy meal
    |(?:chicken )?(?:mc)?nuggets|french fries|fries|burgers?|cheeseburgers?
    |tacos?|burritos?|quesadillas?|quesaritos?|crunchwraps?(?: supreme)?|chalupas?|nachos|zinger(?: (?:burger|box
    |tower))?|bucket|gravy|coleslaw|boneless banquet|wicked wings|hot wings|popcorn chicken|chicken(?: (?:sandwich
    |wings|strips|burger))?
    |pizza|salad|sandwich(?:es)?|milk ?shakes?|shake|coffee|latte|frappe|iced coffee|orange juice|coke|sprite|soda
    |ice cream|apple pies?|hash browns?|sausage mcmuffin|breakfast|cheese|ketchup|sauce|dip|straws?
    |towels|pillows?|air ?conditioning|a/c|minibar|king (?:bed|room|suite)|queen (?:bed|room)|suite|reward nights?
    |free nights?|shoes|boots|jacket|coat|dress|shirt|jeans|toys?|doll|lego|blankets?|chips|suit
    """
)
#: People who work for companies; longer ones first.
ROLES = _split(
    r"""
    gate agents?|ticket(?:ing)? agents?|check-?in agents?|baggage (?:agents?|handlers?|staff|people)|flight
    attend[ae]n?ts?|phone (?:reservation )?agents?|reservations? agents?|desk agents?
    |customer (?:service|care|support)(?: (?:reps?|representatives?|agents?|people|person|team|manager))|front
    desk(?: (?:agents?|clerks?|staff|manager|lady|guy))?|night manager|duty manager|store managers?|general managers?
    |shift managers?
    |delivery (?:drivers?|guys?|persons?|man|men)|drivers?|managers?|supervisors?|cashiers?|pilots?|captain|crew
    members?|cabin crew|crew|agents?|reps?|representatives?|employees?|associates?|staff(?: members?)?
    |team members?|waiters?|waitress|servers?|housekeeping|housekeepers?|receptionists?|security guards?|couriers?
    |concierge|bellman|clerks?|pharmacists?|technicians?
    """
)
COUNTED_SINGULARS = _split(
    "bag|car|flight|agent|person|item|ticket|seat|room|order|driver|meal|kid|child|cashier|register|towel|bed|"
    "call|email|piece|package|box|employee"
)
#: Words that end a product or are never counted things.
COUNT_STOPS = word_set("""
    a an the my your our their his her its this that these those of in on at to from for with by and or but so if as
    than then is was are were be been has have had does did
    do not no it they we you i he she who which what when where why how us me them as because since after before
    about into out up off over still just now again ever never
    hours hour minutes minute mins min hrs hr days day weeks week months month years year nights night seconds second
    secs am pm ago dollars bucks pounds cents euros
    yes this his was has does thanks always perhaps less unless across always sometimes stars percent order delivery
    email refund response reply answer flight
    message confirmation notification call credit information one thing something anything nothing money item items
    same wrong correct right only other old olds yo
    feet inches lbs kg degrees blocks pls please today tomorrow yesterday tonight last next that's it's is's ways
    things plus minus vs ones apps gets says keeps takes makes goes comes needs wants works looks
    delayed delay while when late notice ticket bag bags luggage baggage text texts update updates charge charges
    attitude runaround error full
    """) - {"bags", "charges", "texts", "updates", "days", "items", "apps"} | {"days"}
