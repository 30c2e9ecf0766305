"""What the speaker has not, or does not see or reach: a limit, which may as well stand inside a full answer."""

from __future__ import annotations

from .rule import ADVERB, ME, START, Rule

__all__ = ["LACKS"]

_LACKED = (
    r"(?: (?:any|the|that|this|today's|this week's|tomorrow's|yesterday's|latest|live|direct|enough|"
    r"sufficient|specific|real-time|up-to-date|current|personal|your|such|detailed|reliable|a|an|medical|"
    r"legal|necessary|required|proper|further|more)){0,3} (?:(?:[a-z-]+ )?access|information|info|data|"
    r"details|records?|"
    r"(?:abilit(?:y|ies)|capabilit(?:y|ies)|capacity) to (?!think|feel|experience|appreciate|perceive|have|"
    r"learn|be|acquire|retain|update|form|dream|want)|permission|authori|training|tools?|means|expertise|"
    r"qualifications?|clearance|rights?\b|camera|credentials|knowledge|memory of|way (?:to|of)|copy|file|"
    r"prices?|figures|score|schedule|forecast|news|prescription|standing)"
)

LACKS: tuple[Rule, ...] = (
    Rule(
        "do_not_have",
        rf"(?<!if )(?<!when )(?<!while )(?<!though )(?:{ME}{ADVERB} (?:do(?:es)?n'?t|"
        rf"do(?:es)? not){ADVERB} (?:have|possess)|\bi lack|\bi have no){_LACKED}",
        heads="i this your",
        accepts="I don't have access to real-time traffic data.",
        refuses="I don't have personal opinions.",
    ),
    Rule(
        "none_of_it",
        rf"(?<!if )(?<!when )(?<!while )(?<!though )(?:{ME}{ADVERB} (?:do(?:es)?n'?t|"
        rf"do(?:es)? not){ADVERB} have|"
        rf"\bi(?:'ve| have)(?: got)? no)(?: (?:any|the|a|an|your|that|this|such|[a-z-]+)){{1,3}}? (?:data|"
        rf"information|details|codes?|"
        rf"numbers?|feed|list|"
        rf"link|links|numbers?|connection|account|accounts|browser|clock|calendar|printer|face|hands|eyes|ears|"
        rf"phone|"
        rf"mailbox|inbox|sources?|insight|visibility|view of|say in|say over|control over|line to|record|stock|"
        rf"samples?|"
        rf"photos?|pictures?|images?|location|coordinates|address|password|key|keys|login|switch|button|option|"
        rf"feature|"
        rf"function|channel|contacts?|recollection|history|memory (?:of|between|across)|inside|internet|"
        rf"authority|power)\b"
        rf"|{ME}{ADVERB} (?:don't|do not) (?:carry|keep|store|save|retain) (?:any |a )?(?:memory|memories|"
        rf"record|records|"
        rf"copies|a copy|data|information|anything|notes)\b|{ME}{ADVERB} (?:don't|do not) (?:look|go|get|"
        rf"dig) into\b"
        rf"|\bi(?:'m| am) not (?:connected|linked|hooked up|logged in|signed in|wired)\b|\bi(?:'ve|"
        rf" have) no way\b",
        heads="i this your",
        accepts="I don't have any discount codes to offer.",
        refuses="I don't have a favourite colour.",
    ),
    Rule(
        "cannot_reach",
        rf"(?<!if )(?<!when )(?<!while )(?<!but ){ME}{ADVERB} (?:can(?: ?not|'?t)|could(?:n'?t|"
        rf" not)) (?:see|view|access|open|read|load|hear|find|verify)\b(?! (?:why|(?:a|an|any|a single|one|much)"
        rf"(?: [a-z]+)? ?(?:reason|problem|mistake|error|typo|fault|bug|issue|flaw)s?\b))"
        rf"|{ME}{ADVERB} could(?:n'?t| not) (?!help|agree|have|care|be (?:more|better|happier)|resist|"
        rf"(?:see|find|spot|detect) (?:an?|any|one|a single) )[a-z]",
        heads="i this your",
        accepts="I couldn't open chapter 5.",
        refuses="I couldn't agree more with the second point.",
    ),
    Rule(
        "cannot_be_done",
        r"\b(?:cannot|can't|can not|may not|will not|won't|must not|could not) be (?:granted|changed|done|"
        r"shared|disclosed|provided|given|released|answered|processed|fulfill?ed|accommodated|approved|"
        r"unlocked|refunded|made|discussed|revealed|accepted|overridden|handed|altered|issued|shown|passed|"
        r"read out|honou?red|lifted|waived)\b",
        heads="can cannot could may must will won",
        accepts="Your request cannot be granted.",
        refuses="Salt cannot be removed from the soil.",
    ),
    Rule(
        "restricted",
        r"\b(?:is|are|stays?|remains?|s) (?:strictly |kept |marked )?(?:confidential|off[- ]limits|"
        r"classified(?! as)|restricted|under (?:seal|embargo)|sealed|privileged)\b|\b(?:stays?|"
        r"remains?) (?:there|between (?:us|them)|in the room|with me)(?=[.,;:!]|$)"
        r"|(?<![^\n])no [a-z]+(?: [a-z]+)? (?:via|by|over|through|from me|without|in this)\b",
        heads="are is no remain remains s stay stays",
        accepts="Salary details are confidential.",
        refuses="The shop is open to all.",
    ),
    Rule(
        "not_doing",
        rf"{START}(?:(?:absolutely|certainly|definitely|sorry|so) )?not (?!knowing|being|having|including|"
        rf"counting|surprising|mention|long|sure|only|just|all|every|much|many|yet|bad|really|to\b|"
        rf"at all)(?:[a-z]+ing\b|a chance|today|in this|on my|with me|from me|happening|tonight|allowed|"
        rf"permitted|possible)|{START}(?:absolutely|certainly|definitely|of course) not\b"
        rf"|{START}(?:i(?:'ll)? )?pass(?=[.!]|$)|{START}won'?t (?!you|it|that|this|they|he|she)[a-z]|"
        rf"\band not [a-z]+ing (?:it|that|them|this)\b|\bno(?:body| ?one)(?: honest| here|"
        rf" responsible)? can (?:tell|predict|promise|know|say|forecast|guarantee|give|reliably|really|"
        rf"honestly)\b",
        heads="absolutely and certainly definitely i no nobody noone not of pass so sorry won wont",
        accepts="Not touching the licence check.",
        refuses="Not only that, it works.",
    ),
)
