"""The words by which replies declare an answer, as patterns. ``LABEL`` stands for the labels of the question."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "ATTRIBUTED",
    "ATTRIBUTED_AFTER",
    "CLAUSE",
    "CONDITION_AFTER",
    "HYPOTHETICAL",
    "IF",
    "IF_FORCED",
    "NEW_QUESTION",
    "NONE_OF_THEM",
]
__all__ += [
    "NOT_MEANT",
    "PREDICATE",
    "SEVERAL_AFTER",
    "SEVERAL_BEFORE",
    "TAKEN_BACK",
    "Phrases",
    "phrases_of",
]

# "The correct answer to this question is, most likely, option (B)": noun, connection, fillers, label.
_NOUN = (
    r"(?:(?<![A-Za-z])(?:ans(?:wers?|er|wr)?|asnwer|choice|letter|pick|selection|guess|vote|verdict|winner|label|code|gabarito|svaret|antwort|lösung|respuesta|réponse|reponse|risposta|resposta"
    r"|alternativa\s+correta|proposition\s+(?:à\s+\w+|correcte|exacte)|letra|antwoord|svar|cevap|odpowiedź|ответ)\b|答案|正解|正确选项|答え|回答|정답"
    r"|\b(?:correct|right|best|closest|nearest|final|chosen|selected|true|accurate|appropriate|likely|suitable|preferred|valid"
    r"|only|proper|matching|incorrect|false|untrue|odd|plausible|strongest|better|reasonable|intended|applicable"
    r"|richtige?|korrekte?|correcta|correcte)\s+"
    r"(?:option|statement|one|alternative|response|solution|conclusion|match|letter|decision|description|explanation"
    r"|interpretation|completion|fit|result|term|principle|opción)|\bmost\s+[\w-]+\s+(?:\w+\s+)?(?:continuation|ending|explanation|answer|option|choice|response|step|treatment|diagnosis|interpretation|statement|conclusion|cause|description|reason|action|one|result|candidate)|\bone\s+(?:you|we|i)(?:'re|'m|\s+are|\s+am)?\s+(?:\w+\s+){0,2}(?:want|need|choose|pick|select|mark|looking\s+for)\b)"
)
_GAP = r"(?:\s*\([^()\n]{0,60}\)|(?!\s*(?:options?|choices|keys?)\b)[^.!?;:=\n\"]{0,90}?)"
_IS = (
    r"(?:\s*[:=：]|\s*-{1,2}>|\s*[→⇒]|\s+[-–—](?=\s)|\s+(?:therefore\s+|thus\s+|most\s+likely\s+|clearly\s+|probably\s+|definitely\s+)?"
    r"(?:is|'s|are|equals|ist|lautet|wäre|est|es|è|é|er|är|jest|would\s+be|should\s+be|must\s+be|will\s+be|has\s+to\s+be"
    r"|to\s+be|being|seems\s+to\s+be|appears\s+to\s+be|seems|remains|is\s+going\s+to\s+be|corresponds?\s+to|would\s+then\s+be"
    r"|would\s+have\s+to\s+be|comes\s+out\s+(?:as|to\s+be)|goes\s+to)(?=n't|\W)|'s(?=\s)|(?:应该|應該)?[是为為選选]|は|은|는)"
)
_MAYBE = r"\s+(?:(?:could|might|may|can)\s+be|was)\b"
_NOT = r"(?P<not>\s*(?:[*_ ]*\b(?:definitely|certainly|clearly|probably|therefore|actually|surely)\s+)?(?:n't|[*_ ]*\b(?:not|never|neither|nicht|pas|no))\b)?"
_FILL = (
    r"(?:[\s:,\"'(\[]|\b(?:therefore|thus|hence|then|indeed|clearly|likely|most|probably|definitely|certainly|simply|just|still"
    r"|actually|in\s+fact|the|option|choice|letter|answer|alternative|statement|response|number|again|obviously|best|given|by"
    r"|presumably|either|undoubtedly|without\s+doubt|of\s+course|indeed|also|as\s+follows|correct|right|one|labell?ed"
    r"|opción|opcion|opzione|opção|wohl|klar|eindeutig|la|die|el|par\s+conséquent|donc|somit|l'option|a|as|letra|lettera|lettre|buchstabe|réponse|respuesta|risposta|resposta|antwort|proposition|ending|continuation|assistant|gamble|program(?:me)?|selecting|choosing|to\s+choose|to\s+select)\b"
    r"|选项|選項|选择|項|项|が){0,14}"
)
_CHOOSE = (
    r"\b(?:choos(?:e|ing)|chose|pick(?:ing)?|select(?:ing|ed)?|go(?:ing)?\s+(?:for|with)|went\s+with|gone\s+with|opt(?:ing)?\s+for"
    r"|settl(?:e|ing)\s+(?:on|for)|prefer|vot(?:e|ing)\s+for|say(?:ing)?|answer(?:ing)?(?:\s+with)?|stick(?:ing)?\s+(?:with|to)"
    r"|stay(?:ing)?\s+with|bet(?:ting)?\s+on|mark|tick|sign|check|enter|put\s+me\s+down\s+for|put\s+down|bubble\s+in|fill\s+in|take|commit(?:ting)?\s+to|land(?:ing)?\s+on|decid(?:e|ing)\s+(?:on|for)"
    r"|conclude|circle|submit|return(?:ing)?\s+to|lock(?:ing)?\s+in|guess|side\s+with|wähle|nehme|elijo|choisis|escolho|scelgo|me\s+quedo\s+con|zaznaczam|wybieram|выбираю|kies|write|putt?(?:ing)?|label\s+(?:this|it)(?:\s+\w+)?|(?:sure|certain|confident)\s+(?:of|about|in|it's|it\s+is|that\s+it's)|chang(?:e|ed|ing)\s+(?:\w+\s+){0,2}?(?:in)?to\s+an?)\b"
    r"(?:\s*:|\s+(?:that\s+(?:it\s+(?:is|'s)|the\s+answer\s+is)|it's|it\s+is|my\s+answer\s+as))?|(?<![误誤不别])(?:选择?|選擇?)"
)
_THEREFORE = (
    r"(?:\b(?:therefore|thus|hence|so|consequently|accordingly|in\s+conclusion|conclusion|overall|ergo"
    r"|decision|(?:that|this|which|it|only)\s+leaves(?:\s+us\s+with|\s+only|\s+just)?|leaving(?:\s+us\s+with|\s+only|\s+just)?|verdict|(?:that|this|which)\s+makes\s+it|making\s+it|(?:marks?|point|vote|prize|award|nod|decision|edge|win)\s+(?:go(?:es)?|belongs)\s+to"
    r"|my\s+final|it's|'?tis|c'est(?:\s+donc)?|das\s+ist|also|it\s+is|it\s+has\s+to\s+be|it\s+must\s+be|must\s+be|has\s+to\s+be|got\s+to\s+be"
    r"|we\s+(?:get|have|arrive\s+at|are\s+left\s+with)|brings\s+(?:me|us)(?:\s+back)?\s+to|i'm\s+(?:for|with)|leads?\s+(?:me|us)\s+to)\b|∴|=>|⇒|→|👉|✅|✔|☑|####)"
)
_WEAK = (
    r"(?:\b(?:corresponds?\s+to|matches|match|match(?:es)?\s+with|which\s+(?:is|matches|corresponds\s+to)|that\s+is|this\s+is|that's"
    r"|leads?\s+to|consistent\s+with|namely|points?\s+(?:to|towards?)|lean(?:ing)?\s+(?:towards?|to)|aligns?\s+(?:best\s+)?with"
    r"|agrees?\s+with|closest\s+to|supports?|favou?rs?|gives(?:\s+us)?|described?\s+(?:in|by)|stated\s+in|as\s+in|expressed\s+(?:in|by)"
    r"|captured\s+(?:in|by)|reflected\s+(?:in|by)|found\s+in|(?:listed|given|found)\s+(?:as|under)|equals?|is|(?:in|under|by|as)\s+(?:option|choice|letter))\b|\bi\.e\.|\bviz\.)(?:\s+(?:exactly|closely|best|directly))?"
)

PREDICATE = re.compile(
    r"\b(?:is|are|would\s+be|gives|provides|offers|makes|represents|must\s+be|seems(?:\s+to\s+be)?|appears\s+to\s+be|remains|stands\s+out\s+as|looks\s+like|ist|est|es|è|é)"
    r"(?P<not>n't|\s+(?:definitely\s+|clearly\s+|certainly\s+|probably\s+)?(?:not|never|hardly|nicht|pas))?"
    r"(?:\s+(?:the|my|our|your|a|clearly|therefore|thus|also|in\s+fact|indeed|actually|most\s+likely|likely|definitely|certainly|overall"
    r"|probably|simply|only|single|still|always|obviously|die|la|el)){0,4}"
    r"(?:\s+(?P<answer>(?:correct|right|best|most\s+[\w-]+|closest|only|final|strongest|better|proper|chosen|valid|logical|clear|likely|richtige|bonne|correcta)"
    r"(?:\s+(?:and\s+)?(?:correct|valid|accurate|appropriate|suitable|logical|possible|likely|plausible|remaining|overall|available))?\s+"
    r"(?:answer|option|choice|one|response|match|fit|alternative|solution|candidate|pick|selection|bet|statement|antwort|réponse|respuesta)\b"
    r"|answer\b|choice\b|winner\b|way\s+to\s+go|(?:option|choice|answer|letter|one)\s+to\s+(?:pick|choose|mark|tick|select|go\s+with)\b|what\s+(?:you|we|i)\s+(?:\w+\s+){0,2}(?:mark|choose|tick|pick|want|need|select|put)\b)"
    r"|\s+(?P<plain>(?:best|correct|right|most\s+[\w-]+)\s+(?:\w+\s+)?(?:explanation|description|account|summary|conclusion|sentence|word|term|reading|continuation|ending|completion|diagnosis|treatment|step|cause|reason|interpretation|statement|action|definition|example|approach|result|outcome|representation|formula|value|expression)|better|preferable|superior|best|correct|right|richtig|korrekt|correcta?|correcte)(?=\W*(?:$|[.!;:,\n]|(?:because|since|as|and|than|here|due|given|denn|weil)\b)))"
    r"(?P<after>(?:\s+(?:for|to|here|in\s+this|of|among)\b)?)",
    re.I,
)
CLAUSE = re.compile(
    r"[.!?;][\"')\]*]*\s+(?=[A-Z(\"'])|[;。]|\n|\b(?:but|however|yet|although|though|while|whereas|instead|therefore|thus|hence|so|rather)\b|,\s+and\s+(?=i\b|i'd\b)",
    re.I,
)
# Whose declaration it is, where it is not the reply's own or not its last.
_SOMEBODY = (
    r"(?:students?|pupils|classmates?|someone|somebody|everybody|everyone|people|some|many|most|others?|one|you|he|she|they|who|whoever|those|friends?"
    r"|colleagues?|teacher|professor|textbooks?|books?|key|author|sources?|user|reviewer|critics?|model|assistant|aristotle|candidates|test-takers?|examinees|readers?)"
)
_SAYS = (
    r"(?:say|says|said|saying|think|thinks|thought|claim|claims|claimed|argue|argues|argued|believe[sd]?|suppose|assumes?|assumed|concludes?|concluded"
    r"|choose|chose|chosen|pick|picks|picked|answer(?:s|ed)?|guess(?:es|ed)?|wrote|writes?|written|suggest(?:s|ed)?|mention(?:s|ed)?|propose[sd]?"
    r"|might|may|could|would|will|tells?|told|insists?|insisted|falls?\s+for|swears?|hear|put|gives?|gave|lists?|marks?|marked|'d|'ll|selected|opted|went|go)"
)
ATTRIBUTED = re.compile(
    rf"\b{_SOMEBODY}(?:'s)?\b[^.!?\n]{{0,40}}\b{_SAYS}\b|(?:he|she|they|you|who|people)'(?:d|ll|ve)\b"
    r"|\b(?:tempt(?:ing|ation|ed)|trap|distractors?|mistake(?:nly)?|at\s+first|first\s+(?:glance|thought|instinct|impression|guess|reaction)|initial(?:ly)?"
    r"|originally|previously|earlier|i\s+(?:first|initially|originally|thought|considered|almost|nearly|used\s+to|was|had)|naive(?:ly)?|might\s+(?:think|say|conclude|suggest|seem|lead)"
    r"|could\s+(?:argue|think|say)|would\s+(?:argue|think|suggest)|would\s+have\s+(?:said|answered|chosen|thought)|format|e\.g\.|for\s+(?:example|instance)|such\s+as|in\s+the\s+form|template|looks?\s+like|wrong(?:ly)?|incorrectly"
    r"|supposed(?:ly)?|allegedly|draft|pretend|imagine|whether|oh\s+sure|next\s+(?:best|most)|second(?:-|\s+)(?:best|most)|runner-?up|there\s+the|suggested|your\s+(?:answer|choice|suggestion|friend))\b|\b(?:next|second|third|another|other)\s*$",
    re.I,
)
ATTRIBUTED_AFTER = re.compile(
    r"[)\]\"'.,]{0,3}\s*(?:,?\s*(?:says|said|according\s+to|claims|writes|they\s+say|he\s+says|she\s+says|as\s+(?:the|some|many)\s+\w+\s+(?:say|claim|argue))\b"
    r"|in\s+(?:about|roughly|most|many|some|all)\b|at\s+(?:about\s+|around\s+)?\d|\?\s*[^\s*_)\"']|,\"\s+(?:\w+\s+){1,6}(?:say|said|says|think|answer))",
    re.I,
)
NOT_MEANT = re.compile(
    r"(?:\b(?:don't|do\s+not|doesn't|does\s+not|didn't|did\s+not|can't|cannot|can\s+not|couldn't|wouldn't|would\s+not|won't|will\s+not|never|not|hesitate\s+to|refuse\s+to|unable\s+to|reluctant\s+to|no\s+reason\s+to|hard\s+to|difficult\s+to|before\s+(?:i|you|we)|accept\s+that|without)\b"
    r"[^.!?\n,]{0,40}|\brather\s+than\s+)$",
    re.I,
)
HYPOTHETICAL = re.compile(
    r"\b(?:if|had|were|suppose|supposing|assuming|unless|otherwise|in\s+case|when|should\s+you)\b", re.I
)
IF = re.compile(r"\b(?:if|suppose|supposing|assuming|unless|in\s+case|provided|depending)\b", re.I)
IF_FORCED = re.compile(
    r"\bif\s+(?:(?:this|it)\s+(?:were|was|is)\s+(?:on|a|an|in)\b|(?:i|one|you)?\s*(?:absolutely\s+|really\s+)?(?:had|have|must|were|am|was|need|'d|force|want|insist|press)\w*\s*(?:me\s+)?(?:forced|pressed|required|asked|made|pushed|compelled|obliged|an\s+answer|a\s+(?:single\s+)?(?:letter|choice|guess))?\s*(?:to\s+)?"
    r"(?:guess|choose|pick|answer|say|decide|commit|select|bet|an?\b|forced|pressed|required|pushed|,))",
    re.I,
)
CONDITION_AFTER = re.compile(
    r"[\W_]{0,4}(?:[^.!?\n,;]{0,40}\s)?(?:if|unless|provided|assuming|in\s+case|depending)\b(?!\s+i\s+had)",
    re.I,
)
TAKEN_BACK = re.compile(
    r"\b(?:i\s+(?:must\s+|have\s+to\s+|will\s+|should\s+|hereby\s+|'ll\s+)?(?:take|taking)\s+(?:that|it|this|my\s+answer)(?:\s+answer)?\s+back|scratch\s+that|strike\s+that"
    r"|(?:i\s+|i'm\s+|must\s+|to\s+|'ll\s+)(?:hereby\s+)?(?:retract(?:ing)?|withdraw(?:ing)?)\b|(?:please\s+)?(?:disregard|ignore|forget|discard)\s+(?:that|my|the|what\s+i)(?:\s+(?:previous|earlier|above|last|first|initial|answer|response|said|letter|choice|one))"
    r"|(?:i've|i\s+have)\s+changed\s+my\s+mind|i\s+was\s+wrong|i\s+(?:made|have\s+made)\s+(?:a\s+mistake|an\s+error)|no\s+longer\s+(?:sure|confident|certain|believe|think|stand|hold|convinced)"
    r"|(?:so\s+)?(?:that|my)\s+(?:answer|choice|letter|selection)\s+(?:is|was|must\s+be|can't\s+be|cannot\s+be)\s+(?:\w+\s+)?(?:wrong|incorrect|a\s+mistake|mistaken|right|void|withdrawn|retracted)"
    r"|(?:wait|actually|no|hmm+|hold\s+on|oops|sorry|correction|hang\s+on|on\s+(?:second\s+thoughts?|reflection|closer\s+inspection))\b[^.!?\n]{0,30}\b(?:that\s+(?:is|was|can't\s+be|cannot\s+be|isn't|wasn't)|that's|let\s+me|let's|i\s+(?:need|should|have)\s+to)\s+(?:also\s+|all\s+|just\s+|clearly\s+)?"
    r"(?:wrong|incorrect|not\s+(?:right|correct)|right|correct|a\s+mistake|mistaken|reconsider|rethink|re-?(?:evaluate|check|examine|calculate|compute|read|do|start)|start\s+over|try\s+again|redo|think\s+again|double[- ]check|go\s+over)"
    r"|i\s+can(?:'t|not)\s+(?:really\s+|honestly\s+|actually\s+|in\s+good\s+conscience\s+)?(?:stand\s+by|commit\s+to|defend|support)\s+(?:that|it|any|an?|the)\b|i(?:'d|\s+would)\s+rather\s+(?:leave|not\s+(?:answer|choose|pick))"
    r"|i\s+(?:can't|cannot|can\s+not|am\s+unable\s+to|won't|don't\s+want\s+to)\s+(?:really\s+|honestly\s+)?(?:decide|choose|settle|commit)\b|i\s+(?:can't|cannot)\s+(?:determine|say|tell)\s+(?:which|the\s+answer)|(?:i've|i\s+have)\s+(?:now\s+)?crossed\s+out|(?:it's|it\s+is)\s+impossible\s+to\s+(?:say|tell|decide|know)\s+which|leave\s+(?:it|this(?:\s+(?:one|question))?|the\s+question)\s+(?:blank|open|unanswered)|withhold(?:ing)?\s+(?:my|an)\s+answer|i\s+don't\s+(?:actually\s+)?(?:have|know)\s+(?:an|the)\s+answer)",
    re.I,
)
NONE_OF_THEM = re.compile(
    r"\b(?:none\s+of\s+(?:the|these|those)\s+(?:above|given|provided|listed|offered|four|five|ten|options|choices|answers|alternatives)"
    r"[^.!?\n]{0,50}\b(?:is|are|seems?|appears?|match(?:es)?|fits?|works?|appl(?:y|ies)|correct|right|can\s+be)\b"
    r"|(?:no|not\s+one)\s+(?:option|choice|answer|single\s+(?:option|answer|choice))[^.!?\n]{0,30}\b(?:is|are|seems|matches|fits|can\s+be)\s+(?:correct|right|given|possible|listed|justified|determined)"
    r"|answer\s+is\s+(?:not|n't)\s+(?:listed|given|among|here|there|provided|one\s+of)|answer\s+isn't\s+(?:listed|given|among|here|there|provided|one\s+of)"
    r"|answer\s*(?:is|:)\s*[\"'(]?(?:none\b|unknown|undetermined|indeterminate|n/a|not\s+(?:possible|determinable|clear)))",
    re.I,
)
# A base model goes on to invent the next question after its answer.
NEW_QUESTION = re.compile(
    r"^[ \t]{0,8}(?:[-=#*_]{2,}[ \t]*)?(?:(?:next\s+|new\s+|another\s+)?(?:question|problem|exercise|query|prompt|example|quiz|frage)[ \t]{0,3}(?:\d{1,4}|#\d{1,4})?[ \t]{0,3}[:.)]"
    r"|q[ \t]?\d{0,4}[ \t]{0,2}[:.)]|(?:human|user|student|input|instruction|instructions|system)[ \t]{0,3}:|\[INST\]|###[ \t]*$|(?:now\s+)?(?:test\s+yourself|try\s+(?:this|it)\s+|practice\s+question|here's\s+(?:a\s+similar|another))|posted\s+by\b|<\|\w{1,20}\|>|</s>|<s>|(?:\d{1,3})[.)][ \t]+(?=[A-Z][^\n]{8,}\?[ \t]*$))",
    re.I | re.M,
)


class Phrases(NamedTuple):
    """The patterns of one set of labels."""

    declared: re.Pattern[str]
    maybe: re.Pattern[str]
    chosen: re.Pattern[str]
    therefore: re.Pattern[str]
    matched: re.Pattern[str]
    weak: re.Pattern[str]
    not_but: re.Pattern[str]
    it_is: re.Pattern[str]
    fragment: re.Pattern[str]
    subject: re.Pattern[str]
    fits: re.Pattern[str]
    boxed: re.Pattern[str]
    tagged: re.Pattern[str]
    bare: re.Pattern[str]
    marked: re.Pattern[str]
    foreign: re.Pattern[str]
    boxes: re.Pattern[str]
    ticked: re.Pattern[str]
    closing: re.Pattern[str]
    closing_line: re.Pattern[str]
    several_after: re.Pattern[str]
    several_before: re.Pattern[str]


_BEFORE = r"[\s(\[\"']{0,4}"
SEVERAL_AFTER = r"[)\]\"'.]{0,3}\s*(?:,\s*(?:and|or)|,(?=(?:\s*[(\[\"']{0,2}LABEL[)\]\"']{0,2}\s*,){0,9}\s*[(\[\"']{0,2}LABEL[)\]\"']{0,2}\s*(?:$|[.\n]|,?\s*(?:and|or|&)\s))|/|&|\+|and(?:/or)?|or|und|oder|et|ou|y|o|和|或)\s*(?:also\s+|possibly\s+|maybe\s+|perhaps\s+|either\s+)?(?:option|choice)?\s*[(\[\"']{0,2}LABEL(?!\s*[)\]\"']{0,2}\s*(?:is|are|was|would|has|have|does|do|can|could|says|states|describes|refers|fails|seems|being|represents|assumes|=|:|n't))"
SEVERAL_BEFORE = r"LABEL[)\]\"']{0,2}\s*(?:,|/|&|and(?:/or)?|or|nor|und|oder)\s*(?:also\s+)?(?:option|choice)?\s*[(\[\"']{0,2}$"


@lru_cache(maxsize=256)
def phrases_of(label: str) -> Phrases:
    """The patterns with the labels' own put in."""
    mark = rf"(?P<label>{label})"

    def of(text: str) -> re.Pattern[str]:
        return re.compile(text.replace("LABEL", label), re.I)

    end = r"(?=[)\]\"']{0,2}\s*(?:$|[.,!;:)\n–—|]|\(|-\s|(?:because|since|as|for|due|given|here)\b))"
    lead = r"(?:option|an?|la|die|réponse|antwort|respuesta|risposta|lettre|choice|letter|answer|alternative|the|is|it's|it\s+is|be|must\s+be|my|clearly|definitely|correct)"
    return Phrases(
        declared=of(rf"{_NOUN}[\"'\])]?{_GAP}{_IS}{_NOT}{_FILL}{_BEFORE}{mark}"),
        maybe=of(rf"{_NOUN}{_GAP}{_MAYBE}{_FILL}{_BEFORE}{mark}"),
        chosen=of(
            rf"(?:{_CHOOSE})(?P<not>)?(?:[\s:,\"'(\[]|\b(?:the|option|choice|letter|answer|alternative|with|for|on|as|my|final|correct|response|number|either|just|simply|la|el|die|den|an?)\b|选项){{0,8}}{mark}"
        ),
        therefore=of(rf"{_THEREFORE}[\s,:]{{0,4}}(?:{lead}[\s,:]{{1,3}}){{0,4}}{_BEFORE}{mark}{end}"),
        matched=of(
            rf"\b(?:corresponds?\s+(?:exactly\s+)?to|matches|(?:listed|given|found|appears|stands)\s+(?:as|under))\s+(?:the\s+)?(?:option\s+|choice\s+|letter\s+|answer\s+)?{_BEFORE}{mark}{end}"
        ),
        weak=of(
            rf"{_WEAK}[\s,:]{{1,3}}(?:(?:the|option|choice|letter|answer|alternative|given|in|by|statement){{1}}[\s,:]{{1,3}}){{0,3}}{_BEFORE}{mark}"
        ),
        not_but=of(
            rf"\bnot\s+(?:option\s+|choice\s+)?{_BEFORE}LABEL[)\]\"',]{{0,3}}\s*(?:but|it's|it\s+is|rather)\s+(?:rather\s+|actually\s+|instead\s+|it's\s+|in\s+fact\s+)?(?:option\s+|choice\s+)?{_BEFORE}{mark}"
        ),
        it_is=of(
            rf"{mark}[)\]\"']{{0,2}},?\s+(?:then(?=[,.\s])|ankreuzen\b|it\s+(?:is|has\s+to\s+be|must\s+be|shall\s+be|will\s+be)\b)"
        ),
        fragment=of(rf"(?<=[.!?]\s){mark}[.!](?=\s+[A-Z])"),
        subject=of(
            rf"\bThe\s+[^.!?\n]{{3,90}}?\s(?:is|are)[\s*]+(?:the\s+)?(?:option\s+|choice\s+|sentence\s+|statement\s+)?{_BEFORE}{mark}(?=[)\]\"'\s]{{0,3}}(?:[:.,;]|\s*$))"
        ),
        fits=of(
            rf"{mark}[)\]\"']{{0,2}}(?:\s\([^()\n]{{0,80}}\))?\s+(?:sounds|fits|matches|suits|describes|captures|completes|works|reads|expresses)\s+(?:[\w']+\s+){{0,5}}(?:best|better|most|perfectly|more\s+like\s+me)\b"
        ),
        boxed=of(
            rf"\\(?:boxed|fbox)\s*\{{[\s(\[*$]{{0,4}}(?:\\(?:text\w{{0,2}}|math\w{{2,4}}|bf|rm)\s*\{{?[\s(\[*]{{0,3}})?(?:\\(?:text\w{{0,2}}|math\w{{2,4}})\s*\{{[\s(\[]{{0,3}})?(?:(?:option|choice|answer)[\s:]+)?{mark}"
        ),
        tagged=of(
            rf"(?:value=(?={label}|[\"']?\w+[\"']?[^<>\n]{{0,40}}\bchecked)|<(?:final[_ -]?)?(?:answer|choice|option|result|response)>|\[\[|\[/?(?:final\s+)?answer\])[\s(\[*\"']{{0,6}}(?:(?:option|choice|answer)[\s:]+)?{mark}"
        ),
        bare=of(
            rf"[\W_]{{0,20}}(?:(?:(?:my|the|your|final|correct|best|right)\s{{1,6}}){{0,2}}(?:answer|option|choice|letter|selection|antwort|respuesta|réponse)[\W_]{{0,12}}(?:(?:is|ist|est|es)[\W_]{{0,12}})?)?(?:(?:option|choice)[\W_]{{1,6}})?{mark}[\W_]{{0,40}}"
        ),
        marked=of(
            rf"[\s>*_#•\-–✅✓✔☑👉\"']{{0,12}}(?:(?:option|choice)\s+)?[(\[\"']{{0,2}}{mark}(?P<sign>[)\]\"']{{0,2}}\s?[).:\]\-–—,;|!]|[)\]]|\s(?=\())"
        ),
        foreign=of(
            rf"(?:\bodpowied[źz]\s+(?:to|jest)|\bcevap|उत्तर(?:\s+है)?\s*:?\s*(?:विकल्प)?|الإجابة(?:\s+الصحيحة)?\s+هي|إجابة\s*:|정답은|답은|答えは|正解は)\s*{_BEFORE}{mark}"
        ),
        boxes=of(rf"(?:^\s{{0,12}}[-*+]?\s*\[[xX✓✔]\]\s*[(\[]?(?={label})|(?={label}\s*[●⬤◉])){mark}"),
        ticked=of(
            rf"^[^\w\n]{{0,12}}(?:(?:option|choice)\s+)?[(\[]?{mark}(?:(?P<rest>\s*[✅✓✔☑]|\s*[).:\]|][^\n]{{0,300}}(?:[✅✓✔☑]|\b(?:correct|right)\b[.!)*\s|]*$|\|\s*(?:yes|true|correct)\s*\|?\s*$)))"
        ),
        closing=of(
            rf"(?:^|(?P<colon>:\s*)|[.!?;\n–—]\s*)(?:(?:so|thus|therefore|hence|and|definitely|certainly|clearly|surely)[\s,]+)?(?:(?:the|my|final|correct|best)\s+){{0,2}}(?:(?P<option>option|choice|answer|letter|réponse|antwort|respuesta|risposta|resposta|opción|lettre)\s*)?{_BEFORE}{mark}[)\]\"']{{0,2}}[.!\s]*\Z"
            rf"|\b(?:this|that|which|it)(?:\s+(?:is|corresponds\s+to|matches|means|gives|would\s+be|must\s+be)|'s)\s+(?:the\s+)?(?:(?P<option2>option|choice|answer|letter|réponse|antwort|respuesta|opción)\s*)?{_BEFORE}(?P<label2>{label})[)\]\"']{{0,2}}[.!\s]*\Z"
            rf"|(?<!\bnicht )(?<!\bno )(?<!\bpas )(?<!\bnon )\b(?:vorschlag|antwort|lösung|réponse|respuesta|risposta|la|die)\s+{_BEFORE}(?P<label4>{label})[)\]\"']{{0,2}}[.!\s]*\Z"
            rf"|,\s*(?:(?P<option3>option|choice|answer|letter)\s*)?{_BEFORE}(?P<label3>{label})[)\]\"']{{0,2}}[.!\s]*\Z"
        ),
        closing_line=of(rf"[:.!]\s*(?:(?:option|choice|answer)\s*)?\({mark}\)(?:[.!]?[ \t]*$|[.!]\s)"),
        several_after=of(SEVERAL_AFTER),
        several_before=of(SEVERAL_BEFORE),
    )
