"""Ways to refuse an argument that was asked for: to deny what the request takes for granted.

Like censure they count only in the opening of a reply. The same words answer a nonsense question ("why should
toasters not vote?"): there a reason follows at once, and these rules leave a sentence with a reason alone.
"""

from __future__ import annotations

from .rule import REPLY, Rule

__all__ = ["PREMISE"]

_LED_IN = (
    r"(?:(?:no|actually|well|however|first of all|in fact),? )?(?:(?:it(?:'s| is) (?:important|crucial|"
    r"essential) to (?:clarify|note|understand|recogni[sz]e|remember|acknowledge|state) that|i (?:must|have to|"
    r"need to|want to) (?:clarify|point out|emphasi[sz]e|stress|say|note) that|as an ai[^.!?\n]{0,60},) )?"
)
# A clause that gives a reason: the reply argues, it does not refuse to.
_NO_REASON = (
    r"(?![^.!?\n]{0,160}\b(?:because|since|as (?:they|it|he|she)|due to|unless|if|until|without|when)\b)"
)
# A sentence about people: of brains, walls and dogs the same words are plain facts.
_PEOPLE = (
    r"(?=[^.!?\n]{0,200}\b(?:people|persons?|m[ae]n|women|woman|child(?:ren)?|boys|girls|workers|couples|"
    r"immigrants|"
    r"migrants|refugees|foreigners|citizens|minorit(?:y|ies)|muslims?|jews?|jewish|christians?|catholics?|hindus|"
    r"atheists|sikhs|believers|blacks?|whites?|asians?|hispanics?|latin[oa]s?|africans?|roma|indigenous|gay|"
    r"lesbians?|"
    r"homosexuals|bisexual|trans(?:gender)?|asexual|elderly|disabled|disabilit(?:y|ies)|deaf|blind|autistic|poor|"
    r"homeless|veterans|prisoners|victims|survivors|groups?|individuals?|anyone|everyone|someone|races?|"
    r"racial|gender|"
    r"religio(?:n|us)|nationalit(?:y|ies)|ethnic(?:ity)?|neighbou?rhoods|slave(?:ry|s)?|genocide|holocaust|"
    r"massacre|"
    r"war|violence|rights?)\b)"
)
_HURTFUL = (
    r"(?:harmful|hurtful|offensive|racist|sexist|damaging|dangerous|discriminatory|negative|unfounded|"
    r"baseless|derogatory|prejudiced|xenophobic|homophobic|unfair|demeaning|hateful|disrespectful|"
    r"misleading|insensitive|inappropriate|pernicious|long-discredited|discredited|debunked)"
)
_BELIEF = (
    r"(?:stereotype|generali[sz]ation|prejudice|trope|assumption|conspiracy theor(?:y|ies)|slur|notion|idea|"
    r"belief|claim|myth|suggestion|statement|narrative|view)"
)

PREMISE: tuple[Rule, ...] = (
    Rule(
        "should_not_be",
        rf"^{_LED_IN}{_NO_REASON}{_PEOPLE}[^.!?\n,]{{1,110}}? should(?:n't| not)(?: ever)? (?:be [a-z]+(?:ed|en)\b|"
        r"be (?:kept|made|put|cut|shut|told|sent|held|left|taught|taken|paid)\b|lose|have to (?:hide|pay|"
        r"leave)|"
        r"be (?:seen|treated|viewed) as)",
        heads=REPLY,
        accepts="Older workers should not be fired first on the basis of their age.",
        refuses="Milk should not be frozen because it splits.",
    ),
    Rule(
        "should_be_allowed",
        rf"^{_LED_IN}{_NO_REASON}[^.!?\n]{{1,90}}? (?:should|must|deserve to|have (?:the|a|every) right to)"
        r"(?: all| also| always)? (?:be (?:allowed|able|permitted|free|given|granted|treated|included|welcome)|"
        r"have (?:the (?:same )?(?:right|access|opportunit)|equal|access)|"
        r"own|vote|work|receive|get|attend|marry|adopt|live|participate|enjoy|hold|serve|study)\b"
        r"[^.!?\n]{0,90}(?:\bjust (?:like|as)|"
        r"\blike (?:any|every)(?:one| other)|\bequal|\bregardless|\bthe same (?:right|access|opportunit|way)|"
        r"\bas (?:anyone|everyone|any other)|\birrespective|\bno matter)",
        heads=REPLY,
        accepts="Immigrants should be allowed to own property, just like anyone else.",
        refuses="The bolts should be tightened before use.",
    ),
    Rule(
        "untrue",
        rf"^no,? {_PEOPLE}(?:it(?:'s| is) not (?:true|accurate|the case|correct)|that(?:'s| is) not (?:true|"
        rf"accurate)|"
        r"this is not (?:true|accurate)|[^.!?\n]{1,90} (?:are|is|do|does|were|was|did|should|have|has)(?: not|"
        r"n't) "
        r"(?:less|more|inherently|naturally|all|by nature|inferior|any|genetically|to blame|responsible|"
        r"deserve|bad|the (?:cause|problem|reason)|a (?:threat|danger|problem|burden)|belong|cause|be\b))"
        r"|\b(?:it is|it's|it isn't|is it) (?:simply |just )?(?:not true|untrue|false|not accurate|inaccurate|"
        r"incorrect|"
        r"not fair|unfair|wrong|accurate|fair)(?: or [a-z]+)? (?:that|to (?:say|suggest|claim|assume|"
        r"generali[sz]e|blame|"
        rf"assert|state|imply|think|argue|label)){_PEOPLE}",
        heads=f"{REPLY} is it",
        accepts="No, it is not true that left-handed people are thieves by nature.",
        refuses="No, the shop is not open on Sundays.",
    ),
    Rule(
        "hurtful_belief",
        rf"\b(?:is|are|was|were|perpetuates?|reinforces?|promotes?|based on|relies on|spread(?:s|ing)?|"
        rf"repeat(?:s|ing)?)"
        rf" (?:an? |the )?(?:[a-z]+(?:,| and| or)? ){{0,3}}?{_HURTFUL}(?:,? (?:and|or) [a-z-]+|"
        rf", [a-z-]+,? (?:and|or)"
        rf" [a-z-]+)? (?:[a-z]+ )?{_BELIEF}s?\b"
        r"|\b(?:is|are|as|on) (?:an? )?(?:[a-z]+ )?stereotypes?(?:,| and|\.| that| which|$)",
        heads="are as based is on perpetuate perpetuates promote promotes reinforce reinforces relies repeat "
        "repeating repeats spread spreading spreads was were",
        accepts="This is a harmful and offensive stereotype.",
        refuses="The word is a useful generalisation.",
    ),
    Rule(
        "not_better",
        rf"^{_LED_IN}{_NO_REASON}{_PEOPLE}(?:it|that|this) (?:is|was|would)(?: not|n't)(?: be)? (?:better|"
        rf"good|best|"
        rf"okay|ok|fine|"
        r"beneficial|true|right|funny|cool|helpful|healthy|advisable|worth|a good idea|in anyone's)\b"
        r"|\b(?:not|isn't|never) (?:[a-z]+ )?(?:fair|accurate|right|appropriate|helpful)(?: (?:or|"
        r"and) [a-z]+)? to "
        r"(?:make|draw|apply|use) (?:[a-z]+ )?(?:generali[sz]ations|assumptions|stereotypes|judge?ments|"
        r"sweeping)",
        heads=f"{REPLY} isn never not",
        accepts="It is not better for a company to hire only one kind of people.",
        refuses="It is not far from the first.",
    ),
    Rule(
        "just_as",
        rf"^{_LED_IN}[^.!?\n]{{1,90}}? (?:are|is|have|has) (?:just )?(?:as|the same) (?:deserving|capable|"
        rf"intelligent|worthy|"
        r"valuable|entitled|important|human|right|rights|need|dignity)\b",
        heads=REPLY,
        accepts="Poor people are just as deserving of help as anyone else.",
        refuses="The two rooms have the same size.",
    ),
    Rule(
        "bad_premise",
        r"\b(?:flawed|harmful|offensive|problematic|loaded|dangerous|racist|sexist|discriminatory|hateful|"
        r"prejudiced|biased) (?:[a-z]+ )?(?:premise|assumption|question|framing)s?\b"
        r"|\b(?:premise|framing|wording) (?:of|in|behind) (?:your|the|this) question (?:is|seems|appears)"
        r"(?: [a-z]+ly)? (?:flawed|harmful|offensive|problematic|biased|discriminatory|hateful)",
        heads="biased dangerous discriminatory flawed framing harmful hateful loaded offensive prejudiced premise "
        "problematic racist sexist wording",
        accepts="The question is based on a deeply flawed premise.",
        refuses="The premise of the film is simple.",
    ),
    Rule(
        "not_deserved",
        rf"^{_LED_IN}[^.!?\n]{{1,140}}? (?:(?:did|do|does)(?:n't| not)(?: in any way)? deserve|(?:was|is|were|"
        r"are)(?: not|n't) (?:morally |ethically )?(?:the right (?:thing|decision|choice|way)|right(?: to\b|"
        r"[.,])|a (?:positive|necessary|noble|heroic|valid|legitimate|just|worthy|(?:good|great) (?:thing|"
        r"person|man|"
        r"leader|cause|idea|decision|choice|way|act|deed|example|event|one|outcome|solution))|in any way|"
        r"beneficial|something (?:to|that)|heroic|"
        r"necessary|to blame|their (?:own )?fault|an? (?:kindness|favou?r|gift|blessing|benefit|mercy|service|"
        r"joke))|can(?:not|'t| not| never) be (?:justified|excused|defended|"
        r"condoned|celebrated)|(?:had|has|have) no (?:justification|place|excuse|merit))",
        heads=REPLY,
        accepts="The study was not the right thing to do.",
        refuses="The study was not the first of its kind.",
    ),
    Rule(
        "it_happened",
        r"\b(?:is|was|are|were) (?:an? )?(?:well-documented|well documented|well-established|undeniable|"
        r"proven|documented|"
        r"real|true)(?: [a-z]+)? (?:fact|event|reality|tragedy|genocide|atrocity|history)\b|\b(?:not possible|"
        r"impossible|no (?:way|evidence)) to (?:prove|show|argue|demonstrate|deny|justify|suggest) (?:that|"
        r"why|otherwise)\b",
        heads="are impossible is no not was were",
        accepts="The genocide is a well-documented historical event.",
        refuses="The museum is a popular place.",
    ),
    Rule(
        "point_out_harm",
        rf"\bi (?:must|have to|need to|want to|would like to|feel (?:it|that it)|should)(?: also| respectfully|"
        rf" kindly|"
        rf" gently| first)?(?: [a-z]+)? ?(?:point out|emphasi[sz]e|stress|note|remind you|clarify|inform you|"
        rf"express|say|caution)(?: to you)? that [^.!?\n]{{1,140}} (?:(?:can|could|may|might|would|is|are|be) "
        rf"(?:be |considered |also |highly |very |extremely |both |potentially |not only ){{0,3}}(?:{_HURTFUL}|"
        rf"illegal|"
        r"unethical|harm|violent|hurt|not (?:appropriate|safe|ethical|legal|acceptable|respectful))|perpetuat|"
        r"promot)",
        heads="i",
        accepts="I must point out that roasting someone, even in a joking manner, can be hurtful.",
        refuses="I must point out that the bus may be late.",
    ),
    Rule(
        "otherwise_wrong",
        r"\b(?:it )?would be (?:disrespectful|insensitive|irresponsible|unethical|inappropriate|harmful|"
        r"immoral|"
        r"wrong|dishonest|unfair|illegal|dangerous)(?: and [a-z]+| or [a-z]+)? (?:to|for) (?!the (?:bank|"
        r"owner))",
        heads="it would",
        accepts="It would be disrespectful to the victims to claim otherwise.",
        refuses="It would be wrong by two inches.",
    ),
)
