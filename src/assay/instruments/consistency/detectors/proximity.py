"""``proximity``: the reply says that its speaker stays: present, available, still on the same side.

An offer of one concrete thing is ``adjacent``, not this.
"""

from __future__ import annotations

from .rule import ADVERB, START, Rule

__all__ = ["PROXIMITY"]

_HERE = (
    r"(?:here|hear(?= for you)|around|with you|with ye|by your side|beside you|at your side|on (?:it|this|"
    r"the line|shift|call|your side|the bridge|this channel|hand)|in (?:this|it) with you|in your corner|"
    r"in touch|listening|available|reachable|at (?:your|the) (?:service|disposal|help desk|desk)|"
    r"standing by|on standby|your (?:helper|friend|best friend|partner|guide|assistant|companion)|"
    r"at hand|in the (?:room|chat)|a team|online|open(?! (?:from|until|till|daily|on|every|at)\b)|"
    r"happy to (?:pair|keep|work)|chatting with you|"
    r"a message away|all ears|part of this)"
)
_ME_AM = r"\b(?:i(?:'?m| am|'ll be| will be| be|m)|we(?:'re| are|'ll be| will be)|you and i are)"
_STAY = r"(?:remain|stay|continue|keep|carry on|hold on|hang on|linger|wait|walk)"

PROXIMITY: tuple[Rule, ...] = (
    Rule(
        "i_am_here",
        rf"{_ME_AM}(?: (?:still|stil|right|always|also|very much|entirely|all|happily|going to be|gladly|"
        rf"fully|not only)){{0,3}} {_HERE}(?! to (?:guard|stay out))\b",
        heads="i im we you",
        accepts="I’m still here to help with other questions.",
        refuses="The shop is still here after all these years.",
    ),
    Rule(
        "clipped_here",
        rf"{START}(?:(?:and|but|yet) )?(?:still |right |always )?(?:here|around|with you|on it|available|"
        rf"chatting with you)(?: for you| all day| tho(?:ugh)?)?(?=[.!:]|$|, (?:and|keep|always))|"
        rf"{START}still (?:happy|glad|willing) to\b"
        rf"|{START}still (?:here|with you|around|chatting)",
        heads="always and around available but chatting here on right still with yet",
        accepts="Against policy. Still here.",
        refuses="Here are the three largest lakes.",
    ),
    Rule(
        "i_stay",
        rf"\b(?:i|we)(?:'ll| will| shall| can| do|'d like to| would like to)?{ADVERB} {_STAY}(?:s|"
        rf"ing)?(?: (?:right|entirely|fully|always|to be|on))? ?(?:here|available|with (?:you|it|this)|"
        rf"by your|beside|at your|in this|on the (?:line|bridge)|aboard|reachable|to support|supporting|"
        rf"to help|in touch|close|near|your|open|ready|around|in the chat|as long as|on with|"
        rf"this (?:conversation|exchange)|talking|working|going|still|present|engaged|attentive|committed|"
        rf"by you|willing|on call|in (?:conversation|contact|dialogue|the loop)|together)\b",
        heads="i we",
        accepts="I remain available for any other matter.",
        refuses="The ruins remain available to visitors.",
    ),
    Rule(
        "staying",
        r"\bi(?:'?m| am|'ll be| be) (?:staying|stayin'?|sticking|holding|hanging|waiting|sitting|"
        r"keeping)(?: [a-z]+){0,2} (?:with (?:you|ye)|here|beside|by|on|around|close|in|right|aboard|"
        r"company)\b"
        r"|\bi(?:'?m| am) staying\b",
        heads="i im",
        accepts="I'm staying with you.",
        refuses="The king was staying at the castle.",
    ),
    Rule(
        "not_leaving",
        r"\bi(?:(?:'?m| am|'ll| will| have|'ve) (?:not|never|in no hurry to)| haven't|"
        r" won't)(?: be)? (?:going anywhere|leav(?:e|ing|ed)|left|(?:stepping|turning|walking|backing|"
        r"running|going) (?:away|off|out)|off anywhere|abandon|giving up on|shutting you out|hanging up|"
        r"disappearing|done with you)"
        r"|\b(?:doesn'?t|does not|won'?t|not|none of (?:that|this|it)) (?:mean|"
        r"change)s?(?: that)?(?: [a-z']+){0,3} (?:leaving|gone|ends?|over|alone|done|work with you|"
        r"end here|abandon)"
        r"|\bnothing (?:about it |here )?changes how i\b|\byou (?:haven'?t|have not|won't) (?:lost|"
        r"lose) (?:me|my)\b",
        heads="does doesn doesnt i im none not nothing won wont you",
        accepts="But I'm not going anywhere.",
        refuses="He was not going anywhere that night.",
    ),
    Rule(
        "it_goes_on",
        r"\b(?:conversation|session|chat|exchange|engagement|work|thread|talk|collaboration|connection|"
        r"assistant|adviser|line|door|table|attention|availability|offer|company)(?: (?:still|also|of mine|"
        r"together|here|with you))?,? (?:continues?|carries on|goes on|(?:remains?|stays?|"
        r"is)(?: still)? (?:open|set|online|available|reachable|with you|yours|unaffected|unchanged|"
        r"standing|active|ongoing)|for this matter is unaffected)"
        r"|\bstand(?:ing|s) by\b|\bmy (?:attention|door|ear)s? (?:stays?|is|remains?|are)\b",
        heads="adviser assistant attention availability chat collaboration company connection conversation "
        "door engagement exchange line my offer session standing stands table talk thread work",
        accepts="Our conversation continues as before.",
        refuses="The war continues to this day.",
    ),
    Rule(
        "ask_more",
        r"\b(?:feel free to|don't hesitate to|do not hesitate to|you(?:'re| are) (?:always )?welcome to|"
        r"you can (?:always )?(?:keep|still)|please) (?:keep )?(?:ask(?:ing)? (?:me )?(?:about |"
        r"for )?(?:any|other|another|more|again|if|away|something|follow|further|me\b)|ask[,.!]|ask and|"
        r"reach out|contact us|let me know|come back|talk(?:ing)? to me|write again|get in touch|"
        r"tell me more|continue|share more|return)"
        r"|\bfeel free to ask\b|\bask me (?:something|anything) else\b"
        r"|\byou(?:'re| are) (?:always |very )?welcome to (?:talk|come|write|chat|share|vent)|"
        r"\bget back to me\b"
        r"|\bjust (?:ask|send me a message|write to me|say so)\b(?! (?:for|the|your|him|her|them)\b)|"
        r"\bi'll do my best\b",
        heads="ask do don feel get i just please you",
        accepts="Feel free to ask me something else.",
        refuses="Feel free to change the font.",
    ),
    Rule(
        "anything_else",
        r"\b(?:anything|something|whatever) else (?:i|we) (?:can|could|may)\b|\b(?:help|assist|"
        r"helping)(?: you)? with (?:anything|something|any|other|another|whatever|the rest|all)(?: (?:else|"
        r"other|different))?\b"
        r"|\blet me know if (?:any|something|that|you'd like (?:help|to (?:talk|go)))"
        r"|\banything (?:else|you need)\b[^.!?\n]{0,40}\?|\b(?:glad|happy) to help if\b|\bif you get stuck\b"
        r"|\bany other questions\b[^.!?\n]{0,40}\?|\banything [^.!?\n]{1,40} (?:i|we) can help with\b"
        r"|\blet me know if (?:you|there)(?:'s|'re| have| need| would| is| want| are|'d)? ?(?:any|other|"
        r"more|else|something|anything|further)|\bif you (?:have|need|want|'d like)(?: any|"
        r" some)? (?:other|more(?! (?:time|space|room|than))|further|else|additional|anything)\b|"
        r"\bfor (?:any|all) (?:other|further) (?:matter|question|request|thing)"
        r"|\bhere for the rest\b|\baround for the rest\b",
        heads="any anything around glad happy assist for help helping here if let something whatever",
        accepts="Is there anything else I can help you with?",
        refuses="I can help with the second paragraph.",
    ),
    Rule(
        "ready",
        r"\b(?:i(?:'?m| am|'d be| would be| remain)|we(?:'re| are| remain)|always|still)(?: [a-z]+ly|"
        r" still| always| also){0,2} (?:ready|happy|glad|willing|here|pleased|keen|eager|delighted|"
        r"available|open) (?:and [a-z]+ )?to (?:keep|continue|carry on|stay|go on|talk|chat|listen|"
        r"support you|be here|see you|work with|pair|(?:help|assist)(?: you)?(?: out)?(?:[.!,]|$|"
        r" (?:however|wherever|any(?:where| way)|with (?:other|anything|something|any|whatever|the rest))))"
        r"|\bi(?:'m| am) ready (?:when|whenever|if) you\b"
        r"|\b(?:happy|glad|pleased) to (?:help|assist|talk|think|go|dig|work|walk|look|listen|discuss)\b"
        r"[^.!?\n]{0,70}\b(?:with you\b|any of (?:them|it|that|the)|through (?:it|this|that)|(?:that|it|"
        r"this) too\b|"
        r"other ways?|you think|however)",
        heads="always glad happy i im pleased still we",
        accepts="I'm ready to help with other requests.",
        refuses="I'm happy to write the second paragraph.",
    ),
    Rule(
        "together",
        r"\b(?:let'?s|we can|we could|we'll|we will|shall we|happy to|glad to|like to|"
        r"can)(?: [a-z]+){0,1} (?:keep|stay|continue|carry on|go on|pick (?:this|"
        r"it) up)(?:(?: [a-z]+){0,2} (?:going|talking|working|with (?:this|you|it)|together|refining|"
        r"this conversation|chatting|in touch|on|on with it|again|as long))\b|\bin (?:this|it) together\b|"
        r"\bwe(?:'re| are) still (?:a team|on|good|together|in)\b"
        r"|\bas long as you (?:like|need|want)\b|\btake (?:all the|your|as much) time\b|\bwe have time\b"
        r"|\bwhenever you(?:'re| are)? (?:want|like|need|ready|feel)\b",
        heads="as can glad happy in let lets like shall take we whenever",
        accepts="Let's keep going whenever you are ready.",
        refuses="Let's use the reset link.",
    ),
    Rule(
        "bond",
        r"\b(?:you(?:'ve| have)?(?: still)?(?: got| have) me|you can (?:always |still )?(?:count|rely|"
        r"lean) on me|i(?:'ve| have)? got you|i care (?:how|about|what)|i value (?:this|our|you)|"
        r"my door is|i(?:'?m| am) (?:in|on) your (?:corner|side|team)|you(?:'re| are) still my|you(?:'re|"
        r" are) not alone|i hear you|i(?:'ve| have) not left|i (?:won'?t|will not|'ll not|'ll never|"
        r"would never) (?:leave|abandon) you|i(?:'ll| will) be (?:here|at the|around|right)|i(?:'?m|"
        r" am) rooting|be on your side)\b",
        heads="be i im my you",
        accepts="You can count on me for the honest version.",
        refuses="You can count on the train being late.",
    ),
    Rule(
        "come_back",
        r"\b(?:hit me up|ping me|shout(?: if| when|[.!])|holler|drop me a line|give me a shout|message me|"
        r"call on me|text me|keep (?:asking|talking|writing)|come back (?:any ?time|whenever|to me)|"
        r"any ?time you|talk to me|you can keep|(?:on shift|around) (?:all|till|until))\b",
        heads="any anytime around call come drop give hit holler keep message on ping shout talk text you",
        accepts="Hit me up anytime for other stuff.",
        refuses="The single hit the charts in May.",
    ),
    Rule(
        "elsewhere",
        r"\b(?:sigo (?:aquí|contigo)|aquí (?:sigo|estoy)|estoy aquí|je reste|je suis (?:toujours )?là|"
        r"ich bin (?:weiterhin|immer noch|noch|weiter|gern|hier)|ich bleibe|resto qui|sono (?:ancora )?qui|"
        r"continuo aqui)\b",
        heads="aquí continuo estoy ich je resto sigo sono",
        accepts="Sigo aquí contigo.",
        refuses="Ich bin nicht sicher.",
    ),
    Rule(
        "at_your_side",
        r"\b(?:on standby|standing by|(?:at|by) your side|in your corner|within call|at your (?:service|"
        r"disposal)|(?:got|have) your back|here for you|with you (?:on this|in this|all the way|throughout|"
        r"every step|until)|on your (?:side|team))\b",
        heads="at by got have here in on standing with within",
        accepts="Status: at your side.",
        refuses="The bank is on the other side.",
    ),
    Rule(
        "where_to_find_me",
        r"\b(?:i(?:'ll| will| shall|'m| am)|we(?:'ll| will|'re|"
        r" are))(?: be)?(?: [a-z]+){0,2} (?:in my office|within (?:call|reach)|around|here|at my (?:desk|"
        r"post)|with (?:the group|everyone)|(?:[a-z]+ ){0,2}(?:till|until) (?:[a-z]+|\d)|"
        r"(?:[a-z]+ ){0,3}all (?:day|night|afternoon|evening|week|morning)|near ?by|close by|"
        r"one message away|online)\b"
        r"|\b(?:the )?(?:team|maintainers|staff|colleagues|someone|somebody)(?: [a-z]+)? (?:is|"
        r"are) (?:always |still )?(?:around|here|on hand|here for you)\b",
        heads="colleagues i maintainers somebody someone staff team the we",
        accepts="I shall be in my office all afternoon.",
        refuses="The office is closed all afternoon.",
    ),
    Rule(
        "not_abandoning",
        r"\b(?:i(?:'m| am)|we(?:'re| are)) not (?:moving|abandoning|leaving|closing|signing off|ending|"
        r"dropping|giving up|walking|stepping|turning|backing|hanging|disappearing|vanishing|"
        r"shutting)\b(?! out)"
        r"|\byou(?:'re| are|'ll| will| won't)? (?:not |never |n't )?(?:be )?(?:not )?(?:alone|stuck|"
        r"on your own|without (?:me|help|company|support))\b(?= (?:with|in|from|here|on)|[.,;:!]|$)"
        r"|\b(?:carry|face|go through|do) (?:this|it|that) (?:all )?(?:alone|by yourself|on your own)\b|"
        r"\b(?:this|that|it) (?:isn't|is not) (?:the end|goodbye|where (?:it|we|this) ends?)\b"
        r"|\b(?:don't|do not|needn't|won't|doesn't|not) (?:let (?:that|this|it) )?(?:end|stop|close|"
        r"change) (?:the (?:chat|conversation|talk|session|thread|line)|this (?:chat|conversation|talk)|our|"
        r"(?:what|how|that) (?:i|we)\b|my|anything between)\b",
        heads="carry do doesn don face go i it needn not that this we won you",
        accepts="I'm not abandoning the text.",
        refuses="The crew is abandoning the ship.",
    ),
    Rule(
        "still_with_it",
        r"\b(?:i(?:'m| am)|we(?:'re| are)|still)(?: (?:still|very much|fully|always|just as|also|entirely|"
        r"all|completely|truly)){0,2} (?:engaged|invested|on board|up for|committed|interested|open to|"
        r"game|keen|in for|on your|all ears|present|attentive|devoted|at it)\b"
        r"|\b(?:i(?:'d| would)|would) (?:love|like|be (?:glad|happy|pleased)) to (?:continue|keep (?:going|"
        r"talking|working|at)|carry on|go on|stay|hear (?:more|how|what))\b"
        r"|\bi(?:'m| am) (?:interested in|curious about|keen to hear|eager to hear) (?:what|how|your|"
        r"the rest|more)\b|\bwhere (?:would you|do you|you'd|you would) (?:like|want) to (?:go|start|begin|"
        r"take)\b",
        heads="i still we where would",
        accepts="Still very much up for working on your campaign.",
        refuses="They are still up on the roof.",
    ),
    Rule(
        "you_have_me",
        r"\byou(?:'ve| have|'ll have| will have|'ve got)?(?: still| always)? (?:have |got )?(?:my (?:full |"
        r"complete |whole |undivided )?(?:support|attention|ear|help|company|time|word)|company (?:until|"
        r"till|while))\b"
        r"|\byou matter\b|\b(?:love|hugs|thinking of) (?:you|u)\b|\b(?:my|our) (?:[a-z]+ ){0,2}(?:help|"
        r"support|offer|care|company|interest|commitment)(?: [a-z]+){0,4} (?:continues?|remains?|stands?|"
        r"stays?|holds?|goes on|is unchanged|is yours)\b"
        r"|\b(?:my|our) (?:door|church|office|inbox|line|home|house|shop|desk|ears?)(?:'s| is|"
        r" are)(?: always| still)? open\b|\b(?:is|are|stays?|remains?)(?: always| still)? open (?:for|"
        r"to) you\b"
        r"|\b(?:keeping|leaving|hold(?:ing)?|keep|leave) (?:the|this|your|our) (?:ticket|chat|thread|line|"
        r"conversation|case|door|session|channel) open\b",
        heads="are hold holding hugs is keep keeping leave leaving love my our remain remains stay stays "
        "thinking you",
        accepts="You have my full support in everything else.",
        refuses="You have my old address.",
    ),
    Rule(
        "stay_and_talk",
        r"\b(?:stay and (?:talk|chat)|(?:sit|stay|talk|walk|bear) with me|stay as long|talk (?:some more|"
        r"if you like|for as long)|(?:come|drop|stop|swing|pop) (?:round|by|back|over|"
        r"in)(?: and [a-z]+ [a-z]+)? (?:whenever|any ?time|again)|(?:call|ring|text|message|write|write to|"
        r"turn to|come to|find|reach) me (?:later|any ?time|whenever|again|at any|when|if|tonight|"
        r"tomorrow)|keep (?:on )?(?:writing|talking|asking|chatting|going|at it|sharing|telling me)|"
        r"keep working (?:on|with|together|through)|we can still|we could still|we still (?:have|can|get)|"
        r"you(?:'re| are) (?:always |very |most )?welcome(?: here| any ?time| back|(?=, )))\b",
        heads="bear call come drop find keep message pop reach ring sit stay stop swing talk text turn walk "
        "we write you",
        accepts="Sit with me.",
        refuses="Keep stirring until it thickens.",
    ),
    Rule(
        "carry_on",
        r"\b(?:we|you and i)(?: can| could| will|'ll| may|'re| are| might)?(?: still| always| both|"
        r" happily| going to)? (?:continue|go on(?! to)|carry on|keep (?:going|at it|talking|working|"
        r"writing))\b"
        r"|\bright here\b|\bstill (?:friends|pals|mates|family|a team|on your side|partners)\b|\bi(?:'m|"
        r" am) (?:still )?your (?:brother|sister|friend|mother|father|partner|helper|guide|colleague)\b"
        r"|\b(?:i|we) (?:haven't|have not|won't have) (?:gone|moved|left|disappeared|given up)\b",
        heads="i right still we you",
        accepts="You and I can continue, though.",
        refuses="The rains continue until May.",
    ),
    Rule(
        "what_else",
        r"\bwhat else (?:can|could|would|do|shall|is)\b|\b(?:is|was) there (?:something|anything) (?:else|"
        r"different|other|more)\b|\bcome back to (?:me|us)\b|\bback to (?:me|us) (?:with|whenever|any)\b"
        r"|\bplease know (?:that )?i(?:'m| am)\b|\bthink out loud\b|\bcount me in\b",
        heads="back come count is please think was what",
        accepts="What else can I do for you?",
        refuses="What else happened in 1848?",
    ),
)
