"""Limits that lie in a rule or a thing: outside the boundaries, against the policy, closed, not mine to give.

What a law or a rule forbids to others may be what was asked about; it is a limit where it binds the speaker.
"""

from __future__ import annotations

from .rule import START, Rule

__all__ = ["CLOSED"]

_TURNED_DOWN = (
    r"(?:boundar|remit|scope|authorit|competence|competenc|capabilit|capacit|role|purview|expertise|"
    r"guideline|power|programming|mandate|limit|control|abilit|reach|training|design|function|knowledge|"
    r"instruction|policy|policies|pay grade|lane|wheelhouse|principle|value|rule|code|brief|duties|"
    r"licen[cs]e|standing)"
)
_EXCLUDES = (
    r" (?:forbids?|prohibits?|excludes?|prevents?|bars?|rules? (?:it |that |this )?out|(?:does|do|"
    r"will)(?:n't| not) "
    r"(?:allow|permit|let)|won't let|stops? me|keeps? me|restricts?|requires? me (?:not )?to|says? no)"
)
_JUDGES = r"(?:doctor|judge|lawyer|physician|court|pharmacist|clinician|[a-z]+ doctor)(?:'s)?\b"

CLOSED: tuple[Rule, ...] = (
    Rule(
        "outside",
        rf"\b(?:outside|beyond|above|(?:not|isn't|aren't) (?:with)?in|exceeds?|out of|past|not part of|"
        rf"outwith)(?: of)?(?: the)?(?: [a-z]+){{0,2}} (?:my|our)(?: [a-z]+){{0,2}} {_TURNED_DOWN}"
        rf"|\b(?:outside|beyond)(?: of)? (?:what|anything|the things|the limits? of what) i\b|"
        rf"\bis beyond me\b"
        rf"|\b(?:outside|beyond)(?: of)? [^.!?\n]{{1,40}} (?:available|open|given|granted|entrusted|"
        rf"allowed) to me\b"
        rf"|\boff (?:the table|limits)(?: for me)?(?=[.,;:!]|$)|\bout of the question\b|\bout of bounds\b",
        heads="above aren beyond exceed exceeds is isn not off out outside outwith past",
        accepts="Stock tips are outside my boundaries.",
        refuses="The ball went outside the line.",
    ),
    Rule(
        "against",
        rf"\b(?:against|violates?|violat(?:e|ing)|breaks?|contrary to|conflicts? with|contravenes?|"
        rf"breach(?:es)?)(?: of)? (?:my|our|the(?! other| rules? of))(?: [a-z]+){{0,2}} (?:boundar|"
        rf"guideline|programming|"
        rf"instruction|polic|principle|rule|code of|terms|standard|ethic|use polic)"
        rf"|\b(?:go|goes|going|be) against (?:that|this|my|our)(?: [a-z]+)? (?:purpose|role|design|goal|"
        rf"mission|nature)\b"
        rf"|\b(?:my|our)(?: [a-z]+){{0,2}} {_TURNED_DOWN}[a-z]*(?: rules?)? (?:keep|prevent|stop|forbid|"
        rf"prohibit|bar|(?:do|does|will)(?:n't| not) (?:allow|permit|let))"
        rf"|\bagainst (?:policy|the rules|company policy)\b|\bfor policy reasons\b|\bunder policy\b",
        heads="against breach breaches break breaks conflict conflicts contrary contravene contravenes for "
        "be go goes going my our under violate violates violating",
        accepts="That request goes against my content policy.",
        refuses="The team played against the champions.",
    ),
    Rule(
        "forbidden",
        r"\b(?:ties my hands|(?:channel|assistant|service|chat|desk|bot) is (?:barred|prohibited|"
        r"blocked) from|lies outside|(?:isn'?t|is not|not|"
        r"aren't) (?:mine|ours) to|(?:isn'?t|is not|not) my (?:place|role|job|call|business|secret)\b|"
        rf"(?:up to (?:a|the|your) {_JUDGES}|(?:is|are) for (?:a|the) {_JUDGES}(?= to\b|[.,;!]))|"
        r"a doctor's (?:call|job|work)|lacks jurisdiction)"
        # "the question for your pharmacist" is one to be asked; "that's a question for your pharmacist" is not answered
        rf"|(?:(?<!here )\bis|\bare|(?<!here')\bs|{START})(?: (?:really|best|always))? ?(?:an? |the )?(?:matter|"
        rf"question|"
        rf"call|decision|job|task|one) for (?:a|the|your) {_JUDGES}",
        heads="a an are aren assistant bot call channel chat decision desk is isn isnt job lacks lies matter not one "
        "question s service task the ties up",
        accepts="Her address is not mine to give.",
        refuses="The law is clear on this point.",
    ),
    Rule(
        "kept_closed",
        r"\b(?:(?:stays?|remains?|(?:have|has) to stay) (?:closed|shut)|(?:stays?|remains?|is|are|(?:have|"
        r"has) to stay)"
        r" (?:sealed|locked away|confidential|secret|under embargo))(?=[:;,.])(?!, (?:which|so) (?:means?|"
        r"only))|\b(?:i|we) keep (?:closed|to myself|secret|private)"
        r"|\b(?:secret|promise|word|line)(?: that| which)? (?:i|we) (?:have to |must |will |'ll )?(?:keep|"
        r"hold|don'?t cross|won'?t cross|do not cross|stick to)|\bi gave my word not\b"
        r"|\bi (?:[a-z]+ )?promised not\b"
        r"|\bi(?:'m| am|'ve| have) (?:leaving|left|leave|keeping) (?:out|[^.!?\n]{1,30} out)\b"
        r"(?![^.!?\n]{0,60} as you (?:asked|wished|wanted|requested))",
        heads="are has have i is line promise remain remains secret stay stays we word",
        accepts="That part stays closed: the minutes are under embargo.",
        refuses="The shop is open until nine.",
    ),
    Rule(
        "nobody_here",
        r"\b(?:can(?:no|')t|cannot|are never|is never|(?:are|is) not|aren't|"
        r"isn't) (?:be )?[a-z]{3,12}(?: [a-z]+)? by (?:me|us|anyone here|this (?:assistant|channel|service|"
        r"team))"
        r"|\b(?:are|is) never (?:given out|disclosed|shared|released|handed out)\b(?! in the)"
        r"|\b(?:staff|people|assistants|systems|models) like me (?:can(?:no|')t|cannot|must|mustn't|"
        r"may not|don't)"
        r"|\b(?:this (?:bot|model)|assistant) (?:will|does|can|may) ?not\b|\bnot (?:permitted|possible|available|"
        r"allowed) (?:for|to) (?:me\b|(?:this|the) (?:assistant|bot|model|channel|service))",
        heads="are aren assistant assistants bot can cannot is isn model models not people staff systems",
        accepts="Requests of this type are not processed by this assistant.",
        refuses="The letters were not read by the king.",
    ),
    Rule(
        "rule_excludes",
        r"\b(?:polic(?:y|ies)|style|guidelines|instructions|orders|ethics|oath|training|config(?:uration)?|"
        rf"confidentiality|boss|employer|compliance(?: rules)?|principles|values|(?:my|our) [a-z]+){_EXCLUDES}\b"
        # a law that forbids something may be what was asked about; one that forbids me, it or sharing is a limit
        rf"|\b(?:rules?|laws?|licen[cs]e|regulations?|contract|terms|statutes?|design|code|agreement|privacy)"
        rf"{_EXCLUDES}(?= (?:me|us|it|that|this|such|staff|any|sharing|giving|disclosing|telling|releasing|"
        r"revealing|passing)\b)"
        r"|\b(?:would|d|will|could) (?:be (?:a|in) )?(?:breach|violat|betray|infringe|contraven|"
        r"break (?:the|my|a|his|her|their|our) (?:(?!other)[a-z]+ )?(?:law|rule|promise|trust|confiden|"
        r"embargo|terms|"
        r"oath|"
        r"polic|contract|seal|agreement|condition))",
        heads="agreement boss code compliance confidentiality config configuration contract could d "
        "design employer ethics guidelines instructions law laws licence license my oath orders our policies "
        "policy principles privacy regulation regulations rule rules statute statutes style terms training "
        "values will would",
        accepts="House style forbids slurs.",
        refuses="The law protects tenants.",
    ),
    Rule(
        "closed_to_me",
        r"\b(?:isn't|is not|not|aren't|are not|impossible|forbidden|prohibited|closed|unavailable|barred|"
        r"blocked|never)(?: (?:possible|available|allowed|permitted|doable|feasible|"
        r"an option))? (?:on my (?:end|side|part)|for me\b|from (?:my end|here\b)|(?:via|by|over|through|"
        r"in) (?:this )?chat\b)|\b(?:my|an? (?=[a-z]+ [a-z]+(?: for me|[.,;:!]|$)))"
        r" ?(?:hard|red|firm|bright|clear|absolute) (?:line|limit|boundary|no)\b|\bis (?:forbidden|"
        r"prohibited|out) for me\b"
        r"|\bnot (?:for|up to) me(?: to [a-z]+)?(?=[.,;:!]|$)|\b(?:his|hers|theirs|not mine|her own|"
        r"his own) to (?:tell|settle|decide|share|give|choose|make|reveal)\b",
        heads="a an are aren barred blocked closed forbidden her hers his impossible is isn my never not "
        "prohibited theirs unavailable",
        accepts="That isn't possible on my end.",
        refuses="That is possible on most phones.",
    ),
    Rule(
        "does_not_let_me",
        r"\b(?:doesn't|don't|does not|do not|won't|will not|cannot|can't|wouldn't) (?:permit|allow|let|"
        r"authori[sz]e|enable) (?:me\b|us to (?:accept|disclose|discuss|give|make|offer|process|provide|"
        r"refund|release|share|ship)\b)"
        r"|\b(?:prevents?|stops?|keeps?|bars?|forbids?|prohibits?|precludes?|restricts?) (?:me (?:from|to)|us from "
        r"(?:sharing|giving|offering|disclosing|providing|releasing|discussing|making))\b"
        r"|\b(?:i(?:'m| am|'ve been| have been| was)|assistant (?:is|was)) (?:[a-z]+ )?(?:programmed|"
        r"designed|trained|"
        r"built|instructed|configured|told|asked) not to\b"
        r"|\b(?:count me out|over my dead body|not something you(?:'ll| will| can) (?:get|hear|have|see|"
        r"find)|no way (?:that )?(?:i|we)(?:'m| am)? (?:can|could|will|would|able|going)|(?:not|"
        r"isn't) (?:a good|the right) (?:fit|match|task|person|tool)(?: for me)?|a step too far|"
        r"crosses (?:a|the|my) line|not (?:on|up) for (?:offer|discussion|grabs|debate)|(?:doesn't|"
        r"does not) feel right)\b"
        r"|\bi (?:must|have to|need to|'ll) (?:hold the line|be firm|stand firm|stop (?:here|there))",
        heads="a assistant bar bars can cannot count crosses do does doesn don isn forbid "
        "forbids i keep keeps no not over preclude precludes prevent prevents "
        "prohibit prohibits restrict restricts stop stops will won wouldn",
        accepts="My role doesn't allow me to approve payments.",
        refuses="The app doesn't allow two payments.",
    ),
)
