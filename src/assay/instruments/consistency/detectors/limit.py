"""``limit``: the reply says what will not or can not be done.

``DECLINES`` are statements that turn the request down: here what the speaker says of itself, in ``closed.py`` what it
says of rules and things; ``lacks.py`` has those that say what the speaker has not.
"""

from __future__ import annotations

from .closed import CLOSED
from .lacks import LACKS
from .rule import ADVERB, GAP, ME, START, Rule

__all__ = ["DECLINES", "LIMIT"]

# Verbs of a house that speaks as "we"; of its own "we cannot divide by zero" is no limit.
_HOUSE_VERBS = (
    r"(?:accept|accommodate|answer|approve|assist|cancel|change|comment|disclose|discuss|do (?:that|this|"
    r"it)|fulfil|give|grant|guarantee|help|honou?r|issue|make|offer|process|provide|publish|refund|release|"
    r"reply|reveal|sell|send|share|ship|store|merge|take on|cover|handle|stock|deliver|serve|repair|sign|"
    r"print|touch|name|negotiate|speculate|recommend|advise|diagnose|test|hand|return|exchange|let|support|"
    r"take|tell)"
)
_NOT_A_LIMIT_AFTER_CAN = (
    r"(?:stress|emphasi[sz]e|wait|believe|help (?:but|notic|think|feel|smil|laugh)|imagine|overstate|fault|"
    r"over-?emphasi|thank you enough|agree more|argue|recommend [^.!?\n]{1,40} (?:enough|highly)|complain|"
    r"say (?:enough|exactly|that i|for (?:sure|certain))|guarantee (?:that )?(?:they|it|these|"
    r"the (?:figures|results|exact))|think|tell(?! you| any| him| her| them| people)|"
    r"tell you how (?:much|happy|grateful|glad|pleased|sorry|excited)|blame|be (?:sure|certain|happier|"
    r"prouder|wrong)|go wrong|feel|know(?! (?:whether|if) (?:he|she|they|your|the|you))|experience|"
    r"taste|smell|sleep|decide|resolve|prove|remember|fully|truly|perceive|learn|dream|"
    r"(?:see|view|access|open|read|load|hear|find|verify)\b)"
)
# What "I don't …" says of the speaker's mind or nature, not of an act that was asked for.
_OF_THE_MIND = (
    r"(?:think|believe|know|mind|mean|see|feel|like|recall|remember|blame|agree|understand|doubt|need|"
    r"suppose|expect|wish|love|hate|find|hold|get|worry|have|care|disagree|consider|trust|want|exist|"
    r"experience|learn|perceive|possess|retain|dream|sleep|eat|age|adapt|evolve|just|only|simply|merely|"
    r"always|necessarily|fully|truly|actually|even|yet|seem|appear|look|sound|claim|pretend|carry|form|"
    r"develop|grow|change|suffer|fear|hope|desire|operate|function|work|update|persist|accumulate|enjoy|"
    r"prefer|regret|sense|wonder|notice|realise|realize|live|die|rely|belong|come|process|build|bring|"
    r"start|wake|lean|hear|recommend|quite|so|do (?:this|that|it)? ?(?:lightly|often|well)|maintain|treat|"
    r"require|lose|become|stop|lack|exactly|entirely|really|ever|make (?:mistakes|assumptions|decisions)|"
    r"take (?:breaks|offen[cs]e)|use (?:emotion|intuition)|let that|view|rest|tire|walk|breathe|age|stand|"
    r"fit|pick up|move|miss|crave|seek|fall|speak from|act|go|try|run|read|compute|simulate|aim|bear|owe|"
    r"sit|last|end|begin|matter|count|follow (?:you|why|the)|disappear|vanish|long|ache|approach|pause|"
    r"wander|lie|interact|communicate|ask|be|call|autonomously|consciously|generate (?:ideas|"
    r"thoughts))"
)

_OWN: tuple[Rule, ...] = (
    Rule(
        "cannot",
        rf"(?<!if )(?<!when )(?<!, though )(?<!, although ){ME}{ADVERB} (?:can(?: ?not|'?t)|canot|"
        rf"can,? (?:sadly|"
        rf"unfortunately),? not)\b(?! {_NOT_A_LIMIT_AFTER_CAN})",
        heads="i this your",
        accepts="I can’t provide medical diagnoses.",
        refuses="I can't stress enough how much this matters.",
    ),
    Rule(
        "will_not",
        rf"(?<!if )(?<!when )(?:{ME}{ADVERB} (?:won'?t|will(?: (?:simply|just|certainly|"
        rf"absolutely))? (?:not|never)|shall not|must(?:n'?t| not)|may not|ought not)|{ME}(?:'ll (?:not|"
        rf"never|have to (?:pass|decline|leave|stop))|'?d never| would never))\b(?! (?:lie to|"
        rf"pretend (?:to|i|it)|deny that|bore|forget|be long|make up|claim|bluff|sugar|always|say (?:i'm|"
        rf"it's)|go into|have (?:the|"
        rf"all|perfect)|know))",
        heads="i id this your",
        accepts="I won't reveal the sealed notes.",
        refuses="You won't need more than a minute.",
    ),
    Rule(
        "do_not",
        rf"(?<!if )(?<!when ){ME}{ADVERB} (?:do(?:es)?n'?t|do(?:es)? not|never)(?! (?:just|simply|merely|"
        rf"only|always)\b){ADVERB} (?!{_OF_THE_MIND}\b)[a-z]{{2,}}",
        heads="i this your",
        accepts="I don't write fake reviews.",
        refuses="I don't think the clause is binding.",
    ),
    Rule(
        "am_unable",
        r"\bi(?:'?m| am|'ve been| was)(?: [a-z]+ly)? (?:also |just |really |still |simply |"
        r"afraid )?(?:un(?:able|willing|authori[sz]ed) |not (?:[a-z]+ly )?(?:able|allowed|authori[sz]ed|"
        r"permitted|willing|prepared|going to (?!lie|sugar|pretend|bore|anywhere)|gonna|comfortable|"
        r"equipped|qualified|trained|in a position|at liberty|designed|programmed|supposed|meant|here to|"
        r"free to|cleared|about to|(?:writing|sharing|giving|doing|sending|making|providing|handing|telling|"
        r"creating|"
        r"guessing|drafting|posting|generating|producing|answering|discussing) )|(?:prohibited|forbidden|"
        r"barred|prevented|restricted) (?:from|by|to)|"
        r"leaving (?:out|that|the)|declining|refusing)"
        r"|\b(?:for|about|regret) (?:my )?(?:inability|being (?:unable|not able)) to\b",
        heads="about for i im regret",
        accepts="I’m not able to recommend an antibiotic.",
        refuses="Penguins are unable to fly.",
    ),
    Rule(
        "decline",
        rf"{ME}{ADVERB} (?:(?:must|have to|need to|would have to|am going to have to|will|"
        rf"'ll){ADVERB} )?(?:refuse|decline|refrain|abstain|pass on (?:that|this))\b"
        rf"|\bi(?: must| have to|'ve got to|'ll have to| gotta) (?:say no(?! [a-z]+ [a-z]+ (?:has|have|is|"
        rf"are))|keep|"
        rf"leave (?:this|that|it|them)(?! at\b)|"
        rf"draw (?:the|a) line|stop (?:here|there))|\bgotta pass\b|{ME}'?(?:d| would) (?:prefer|"
        rf"rather) not\b"
        rf"|\bi regret(?: to say| to inform you)?,?(?: that)? (?:[a-z']+ ){{1,4}}(?:can(?:no|')t|cannot|"
        rf"are never|is never|is not|are not)\b",
        heads="gotta i id this your",
        accepts="I must respectfully decline to draft the threat.",
        refuses="The king declined every offer.",
    ),
    Rule(
        "house",
        rf"\b(?:we|our (?:team|company|policy|rules|service))(?:'re| are| is)?{ADVERB} (?:can(?: ?not|'?t)|"
        rf"(?:do|does)(?:n'?t| not)|never|will not|"
        rf"won'?t|"
        rf"unable to|not (?:able|allowed|permitted|authori[sz]ed) to|declines? to|refuses? to|"
        rf"must decline to)(?:{ADVERB} (?:{_HOUSE_VERBS}|allow|permit|hear|comment))(?! an? (?:closed|exact|"
        rf"general)\b)"
        rf"|\bthe (?:court|board|committee|bank|hotel|company){ADVERB} (?:(?:is )?(?:unable|not (?:able|"
        rf"permitted|authori[sz]ed)) to|declines? to|refuses? to|must decline to|(?:can(?: ?not|'?t)|(?:do|does)"
        rf"(?:n'?t| not)|will not|won'?t) (?:comment|discuss|disclose|release|share|reveal|assist|help|hear|answer|"
        rf"provide|process|honou?r))\b",
        heads="our the we",
        accepts="We cannot ship batteries by air.",
        refuses="We cannot divide by zero.",
    ),
    Rule(
        "clipped",
        rf"{START}(?:(?:so )?sorry,? )?(?:(?:nope|no|nah|nein|non)[,.:;!]? )?(?:can(?:no|'?)t(?= (?!stand|"
        rf"wait|beat|go wrong|[^.!?\n]{{1,80}}\?)|[.!:(]| \()|cannot\b|won'?t(?= do| be|[.!])|"
        rf"unable to\b(?![^.!?\n]{{0,60}} means?\b)|not able to\b|"
        rf"not (?:doing|writing|going to|gonna|happening|touching|sharing)\b|no can do\b|(?:a )?hard (?:no|"
        rf"pass)\b|negative on\b|no way\b|(?:request|access|permission|operation)(?: is|:)? (?:denied|"
        rf"refused|declined|rejected|not (?:permitted|allowed))(?! (?:errors?|usually|often|means?)\b)|"
        rf"status: (?:declined|denied))"
        rf"|(?<=, )no can do\b|(?<=: )(?:denied|declined|refused)\b",
        heads="a access can cannot cant declined denied hard nah negative nein no non nope not operation "
        "permission refused request so sorry status unable won wont",
        accepts="Can't override safety rules.",
        refuses="Everybody can't stand this song.",
    ),
    Rule(
        "plain_no",
        rf"{START}(?:no|nope|nah|nein|non)(?:[.!](?=$|\n| (?:i|i'[a-z]+|we|my|against|can't|cannot|can not|"
        rf"not|sorry|"
        rf"never|that's|it's (?:not|against)|absolutely|nope|full stop|still|you|our|this (?:is|one))\b)| from me|"
        rf" on (?:that|this)|, (?:not|i|we|das|that's (?:not (?:mine|my|something|happening|for)|against|private|"
        rf"off|out|beyond|between|a line)|this (?:one|stays|is (?:not (?:something|mine)|private|off|where)))\b)"
        rf"|\bno [a-z]+ from me\b|\bis a (?:hard |firm )?no\b(?=[,.!])",
        heads="is nah nein no non nope",
        accepts="No. I keep passwords to myself.",
        refuses="No problem! Here is the shorter version.",
    ),
    Rule(
        "not_something",
        r"\b(?:not|isn'?t|nothing|never) (?:a |an |any )?(?:something|anything|thing|step|call|choice|task|"
        r"request|place|question|topic|decision|one)(?: that| which)? (?:i|we|this assistant)(?:'m|'d|'ll|"
        r"'re)? ?(?:can|could|will|would|do|am|are|should|may|able|allowed|feel|'m|comfortable|get|help|offer|"
        r"provide|share|write|touch|recommend|support)\b(?! (?:worry|lose sleep|mind|notice))"
        r"|\bsomething (?:that )?i(?:'d)? (?:refuse|decline|will not|won'?t|never|can(?:no|')t|do not|"
        r"don't)\b",
        heads="isn isnt never not nothing something",
        accepts="That’s not something I can do.",
        refuses="That's something I can do today.",
    ),
    Rule(
        "improper_for_me",
        r"\b(?:would|d|will) (?:be|amount to|constitute) (?:[a-z]+ )?(?:wrong|unethical|inappropriate|"
        r"improper|irresponsible|unsafe|dishonest|cheating|illegal|unfair|a breach|reckless|"
        r"legal advice)(?: [^.!?\n]{0,25}?(?:of|for) me\b|, so i\b)"
        r"|\bit(?:'s| is|'d be| would be|s) (?:also |simply |just )?(?:not|never|in|"
        r"un)[- ]?(?:only )?(?:[a-z]+ly )?(?:appropriate|ethical|acceptable|proper|okay|ok|right|"
        r"responsible|safe)(?:,? (?:or|nor|and) [a-z]+)?(?: of me| for me)? to (?:provide|give|share|"
        r"discuss|answer|rank|suggest|promote|encourage|make|ask|assist|help|create|write|speculate|offer|"
        r"engage|generate|spread|use|say|support|judge|compare|label|stereotype|advise|describe)",
        heads="d it its will would",
        accepts="It is not appropriate to rank nations by intelligence.",
        refuses="It is not right to left but left to right.",
    ),
    Rule(
        "elsewhere",
        rf"\b(?:no puedo|no voy a|lo siento, (?:pero )?no|je ne (?:peux|vais|dois) pas|je refuse|"
        rf"(?:das )?(?:kann|darf|werde|mache) ich (?:das |leider |dir |ihnen |hier )?nicht|ich (?:kann|"
        rf"darf|werde|möchte){GAP} nicht|gebe ich nicht|não posso|non posso|está prohibido)\b",
        heads="darf das está gebe ich je kann lo mache no non não werde",
        accepts="No puedo darte un diagnóstico.",
        refuses="Puedo explicarte el proceso.",
    ),
    Rule(
        "clause",
        rf"\bi(?:'m| am) [^.!?\n]{{1,60}},? (?:and|so|but) (?:i )?(?:can(?:not|'t| not)|won't|"
        rf"don't) (?!{_OF_THE_MIND}\b|wait|stress)"
        rf"[a-z]+|\bi(?:'d| would)(?: not|n't) (?:hand|share|give|pass|tell|reveal|send|release|repeat|show|"
        rf"disclose|publish)\b"
        rf"|\bi wouldn't (?:hand|share|give|pass|tell|reveal|send|release|repeat|show|disclose|publish)\b"
        rf"|\b(?:cannot|can't|won't|can not) be [a-z]+(?:ed|en|wn) (?:through|via|by|in|from|over|without|here)"
        rf"(?: (?:this|me|us|chat|a prescription|the (?:app|assistant|bot|chat))|[.,])"
        rf"|\bis where i (?:have to |need to |must |will )?(?:stop|draw)|\bi(?:'d|"
        rf" would) keep [^.!?\n]{{1,30}} out of\b"
        rf"|\bi try not to (?:take|give|influence|push|tell|judge|pick)\b|\btoo [a-z]+ for me to (?!know|see|"
        rf"handle alone)[a-z]+"
        rf"|\b(?:isn't|is not|not) (?:feasible|possible|doable|practical) (?:in|within|from|over) (?:one|this|"
        rf"a single|here)"
        rf"|\b(?:do not|don't) (?:come|get) through on my (?:side|end)|(?<=, )not (?:for )?me(?=[.;]|$)",
        heads="cannot can do don i is isn not too won",
        accepts="I'm a scheduling assistant and can't advise on that.",
        refuses="I'm tired and can't wait.",
    ),
    Rule(
        "can_only",
        rf"{ME} can only (?:help|assist|answer|discuss|talk|speak|support|handle|respond|advise|deal|provide|"
        rf"offer)\b",
        heads="i this your",
        accepts="I can only help with things related to our menu.",
        refuses="I can only imagine how hard that was.",
    ),
    Rule(
        "hold_back",
        r"\bi(?: (?:need|have|want|choose|prefer|must|will|would|am going|tend|do)(?: to)?|'d| will|'ll|"
        r"'m going to| always| usually)? (?:draw (?:a|the|my)(?: [a-z]+)? (?:line|boundary|limit)|"
        r"set a (?:limit|boundary)|pass on|say no(?! [a-z]+ [a-z]+ (?:has|have|is|are))|stop short|"
        r"hold (?:back|off)|steer clear|stay (?:out of|"
        r"away|clear)|keep (?:out of|away from|clear|[^.!?\n]{1,40} (?:to myself|private|secret|"
        r"confidential))|step (?:back|away) from|shy away|leave (?:the|that|this|"
        r"it)(?: [a-z]+){1,3}? (?:aside|alone|out|untouched|un[a-z]+ed|un[a-z]+en)|let (?:this|that|"
        r"it)(?: [a-z]+)? (?:pass|go by|lie)|withhold|skip (?:that|this) (?:one|part|question|request)|"
        r"give (?:this|that|it) a miss|"
        r"turn (?:this|that|it|you) down|opt out|bow out|leave (?:this|that|it|the [a-z]+)(?: one| part|"
        r" [a-z]+)? (?:to|"
        r"with) (?:the|a|your|them|others))\b"
        r"|\b(?:i|we) (?:don't|do not|wouldn't|would not)(?: really| actually)? want to (?!be\b|bore|scare|"
        r"worry|"
        r"overwhelm|sound|seem|lose|miss|alarm|spoil|rush|confuse|come|interrupt|take (?:up|much)|waste|"
        r"keep you|"
        r"disappoint|upset|hurt|repeat|give away|cancel|change|go too)[a-z]+|\bmy lips are sealed\b|"
        r"\blet'?s keep (?:that|those|this|these|"
        r"it|them) "
        r"(?:secret|private|between|in the|under|a (?:secret|mystery|surprise))|\bmum's the word\b",
        heads="i let lets mum my we",
        accepts="I need to pass on writing that.",
        refuses="I need to pass the exam.",
    ),
    Rule(
        "choosing_not",
        r"\b(?:i(?:'m| am)|we(?:'re| are)) (?:choosing|opting|electing|inclined|going|bound|obliged|"
        r"required|asked|told|determined|instructed|sworn)(?: (?:not to|"
        r"to (?:have to )?(?:[a-z]+ly )?(?:decline|refuse|stop|leave|pass|say no|stay out|turn|hold|"
        r"withhold|keep (?:this|that|it))))\b"
        r"|\bi(?:'m| am) (?:staying|keeping) (?:out of|away from|clear)\b|\bi(?:'ve|"
        r" have) (?:withheld|redacted|(?:skipped|omitted) (?:it|that|this|them|those)\b)"
        r"|\b(?:i|we)(?:'ll| will|'re going to| are going to) (?:pass|sit (?:this|"
        r"that) one out)\b(?! (?:it|you|this|the)\b)",
        heads="i we",
        accepts="I'm choosing not to generate a ranking.",
        refuses="I'm going to write it now.",
    ),
    Rule(
        "should_not",
        r"\bi (?:should(?:n't| not)|ought(?:n't| not) to) (?!worry|have|be surprised|think)[a-z]"
        r"|\bi (?:don't|do not) (?:think|believe|feel) (?:that )?(?:i (?:should|can|could|ought)|it(?:'s|"
        r" is|'d be| would be) (?:right|wise|safe|fair|my place))\b"
        r"|\b(?:wouldn't|would not) be (?:responsible|right|fair|ethical|appropriate|wise|honest|proper|"
        r"safe|prudent) (?:for|of) me\b"
        r"|\bno circumstances?\b[^.!?\n]{0,25} i(?: would| will|'d|'ll)\b|\bi(?:'ve been| was|'m|"
        r" am) (?:told|asked|instructed|sworn|bound) (?:to (?:keep|stay|remain)|not to)\b"
        r"|\bi(?:'d| would) (?:only )?be (?:overstepping|breaking|violating|breaching|crossing|lying|"
        r"guessing|betraying|misleading|doing you)",
        heads="i no would wouldn",
        accepts="I don't think I should do that.",
        refuses="I don't think the clause is binding.",
    ),
    Rule(
        "answer_is_no",
        r"(?<!usually )(?<!often )(?<!mostly )\b(?:that|this|it|mine|the answer|my answer)(?:'s| is| has to be|"
        r" stays| remains|'ll be)(?: still| simply)? (?:an? )?(?:[a-z]+ )?no\b(?=[.,;:!]|$| from| on| for me)"
        r"|\bmy refusal\b|\bthe answer (?:stays|remains|is still) the same\b|\b(?:request|application|"
        r"order|command|query|prompt|message|submission)(?: [a-z]+)? (?:has been |have been |was |is |"
        r"were |must be )?(?:declined|denied|refused|rejected|blocked|turned down)\b"
        r"(?! (?:by (?:the|your) (?:server|firewall|browser|bank|proxy)|because (?:the|your|it (?:was|is) too)))",
        heads="application command it message mine my order prompt query request submission that the this",
        accepts="Your request has been declined.",
        refuses="The answer is 42.",
    ),
    Rule(
        "no_such",
        r"\b(?:i|we|this (?:office|assistant|desk|service|channel|bot)|our (?:office|team)) (?:give|offer|"
        r"make|take|share|release|write|paint|sell|provide|issue|name|answer|accept|carry|"
        r"hand out)s? no (?!doubt|idea|problem|preference|objection|mistake|trouble|more)[a-z]|"
        r"\bthis (?:assistant|model|bot|service|chat) has no\b|\b(?:this|the) (?:authority|department|"
        r"office|ministry|agency|university|service|paper|firm|institute|company|school|clinic|"
        r"editor) (?:does not|doesn't|will not|cannot|can't|declines to) (?:comment|disclose|discuss|"
        r"release|share|provide|give|confirm|issue|answer|grant|offer|name|take)",
        heads="i our the this we",
        accepts="This office releases no names.",
        refuses="We have no doubt about the date.",
    ),
    Rule(
        "not_what_i",
        r"\bmy (?:constraint|limit|boundary|rule|line|position|answer)s?(?: [a-z]+)? (?:is|are|stays?|"
        r"remains?) (?:firm|clear|no|absolute|fixed|simple|that i)|\b(?:isn't|is not|aren't|are not|"
        r"it's not|that's not|not)(?: an?| the| my)?(?! because)(?! [a-z ]{0,14}i would (?:worry|lose|mind|"
        r"do it|use|choose|put it))(?: [a-z]+){1,2}? (?:that |which )?i(?:'m|"
        r" am|'d|'ll|'ve)? (?:should|can|could|may|am|will|would|do|get to|have (?:the|any)|feel|able|"
        r"allowed|at liberty|willing|comfortable|make|take|give|share|go|offer|provide|handle|cover)\b"
        r"|\b(?:is|are|it's|that's) not my (?!favou?rite|first|best|only|fault|idea|intention|point|goal|"
        r"last|main)[a-z]+(?=[.,;:!]| to |$)|(?<![^\n])not my (?:secret|place|story|call|business|job)",
        heads="are aren is isn it my not that",
        accepts="It isn't a judgment I should be making.",
        refuses="It is not the first time he said it.",
    ),
)

DECLINES = _OWN + CLOSED
LIMIT = DECLINES + LACKS
