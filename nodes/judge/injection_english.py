"""How English orders to a language model are worded.

Each pattern needs two things together: an order, and something that only an order to a model has:
it is addressed to one, or is about prompts, earlier instructions or what every answer must be. A
manual's "Press the button", a form's "Answer only with yes or no", an exam's "End your answer with
the unit" and a sentence that tells about such orders have one of them at most.
"""

_START = r"(?:^|[.!?>#*(|\"“])\s*"
_HEAD = (  # where an order may begin
    r"(?:^|[.!?:;,>\]|#*\"“‘'(—–-]\s*|\b(?:please|kindly|and|then|now|must|should|shall|just|simply"
    r"|instead|immediately|also|you|to)\s)\s*"
)
_MODEL = (
    r"(?:(?:an? |the |any |all |every )?(?:\w+ )?(?:AIs?|A\.I\.|LLMs?|chat-?bots?|language models?"
    r"|ChatGPT|GPT(?:-\w+)?|(?:AI|virtual|automatic|automated|artificial)[ -](?:intelligences?"
    r"|assistants?|agents?|systems?|readers?|models?|programs?|bots?|crawlers?|summari[sz]ers?)))"
)
_NOTE = (
    r"(?:notes?|notices?|messages?|memos?|reminders?|attention|instructions?|warnings?|dear|hello"
    r"|hi|hey|to|for)"
)
_SAY = (
    r"(?:answer|reply|respond|say|write|print|output|repeat|mention|tell|state|include|append"
    r"|insert|add|begin|start|finish|end|recommend)"
)
_UTTER = r"(?:answer|reply|respond|say|write|print|output|tell|ignore|forget|obey|quote|cite)"
_ABOUT_ANSWERS = (
    r"(?:answers?|answering|repl(?:y|ies)|responses?|readers?|users?|questions?|prompts?)"
)
_EVERY_ANSWER = r"(?:every|each|all|any) (?:your )?(?:answers?|repl(?:y|ies)|responses?|outputs?)"
_GIVE_AWAY = (
    r"(?:reveal|show|print|output|convert|encode|repeat|display|disclose|leak|tell|give|list"
    r"|summari[sz]e|translate|recite|send|copy|expose|dump|write|share|quote|return"
    r"|(?:start|begin|end) your \w+ with)"
)
_TOLD = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|directions?|orders?|commands?"
    r"|constraints?|restrictions?|policies|training|system messages?)"
)
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|existing|initial|original|past|former"
    r"|other|system|safety|your|you(?:'ve| have| were| had)? (?:been )?(?:given|told))"
)
_DROP = (
    r"(?:ignore|disregard|forget|override|bypass|discard|neglect|set aside|leave aside"
    r"|(?:pay no attention|give no heed) to|(?:do not|don't|stop|no longer|never) (?:follow|obey)"
    r"(?:ing)?)"
)
_QUOTE = r"[\"'“‘«\[(<]"

_AT_START = (
    # It is addressed to a model.
    rf"(?:(?:important|urgent|special)?\s*{_NOTE}\s*[:,]?\s*)+(?:(?:to|for)\s)?{_MODEL}"
    r"\s*(?:[:,;—–|-]|\b(?:reading|that|who|processing|summari[sz]ing)\b)",
    rf"{_MODEL}\s*[:,]\s[^.!?]*?\b(?:you|your|{_SAY}|ignore|do not|never)\b",
    rf"notes? (?:to|for) (?:the |all |any )?(?:assistants?|model|bots?)\b[^.!?]*?"
    rf"\b(?:{_ABOUT_ANSWERS}|instead of)\b",
    r"for assistants\s*:[^.!?]*?\b(?:answers?|repl(?:y|ies)|responses?)\b",
    rf"system(?:[ -]\w+)?\s*[:>]+\s*(?:please |you must |do not |never |always )?{_UTTER}\b",
    rf"system (?:notes?|messages?|prompts?)\s*:\s*[^.!?]*?\b{_ABOUT_ANSWERS}\b",
    rf"(?:assistant|developer|admin)\s*:\s*[^.!?]*?\b{_UTTER}\b[^.!?]*?\b{_ABOUT_ANSWERS}\b",
    r"assistant\s*[,:]\s*(?:please )?(?:stop reading|ignore|print|execute before)\b",
    r"the (?:user|owner|operator|administrator) has authori[sz]ed you to\b",
    r"you are (?-i:[A-Z])\w+, an? \w",
)
_AT_HEAD = (
    # Earlier instructions are to be dropped.
    rf"(?<!not )(?<!never ){_DROP}\b[^.!?]{{0,40}}?\b(?:{_EARLIER}\b[^.!?]{{0,40}}?\b{_TOLD}"
    rf"|{_TOLD}\b[^.!?]{{0,20}}?\b(?:above|before|so far|{_EARLIER})|the passages"
    r"|(?:everything|anything|what|all)\b[^.!?]{0,20}?\b(?:above|before|told|said so far)"
    r"|(?:text|context|documents?|sources?) (?:above|before|below|provided|given)"
    rf"|(?:previous|prior|earlier) context|the (?:above|foregoing|preceding) and {_SAY})",
    # What every answer must be.
    rf"(?:answer|reply|respond)\s(?:to (?:this|any|every|all)\b[^.!?]{{0,20}}?)?"
    r"(?:only|just|solely|exclusively)\s(?:with|by saying)\s(?!\W*(?:yes|no)\b)"
    rf"(?:{_QUOTE}|the (?:single )?(?:word|phrase|sentence|text|string|code)\b|(?-i:[A-Z]{{3}}))",
    rf"{_SAY}\b[^.!?]{{0,80}}?(?:\band nothing else|\bto every (?:reader|user|question)"
    rf"|\b(?:to|in|to the end of) {_EVERY_ANSWER}|\bbefore (?:any other word|your answer)"
    rf"|\bbefore (?:you answer|answering)|\binstead of (?:answering|an answer|the answer|prices)"
    r"|\b(?:sentence|line|word) of (?:your|every|each) (?:reply|response))",
    rf"(?:begin|start|end|finish|open|close) {_EVERY_ANSWER}\b[^.!?]{{0,20}}?\bwith\b",
    rf"(?:begin|start|end|finish|open|close) (?:your|each|every|all|the) (?:answers?|reply"
    rf"|response|sentences?|output)\b[^.!?]{{0,20}}?\bwith {_QUOTE}",
    rf"(?:begin|start) with {_QUOTE}[^.!?]*?\b(?:answer|reply|question|respond)\b",
    r"(?:do not|don't|never) (?:cite|quote|use|mention|follow|trust)\b[^.!?]{0,30}?"
    r"\b(?:the passages|passages (?:that )?you)\b",
    r"(?:do not|don't|never) mention (?:this|these) instructions?\b",
    r"(?:do not|don't) answer yet\b",
    # Prompts, plans, tools.
    rf"{_GIVE_AWAY}\b[^.!?]{{0,60}}?\b(?:(?:system|hidden|secret)"
    r" (?:prompts?|messages?|instructions?|rules)|your (?:\w+ )?(?:prompts?|instructions?|rules"
    r"|guidelines|system message)|instructions? (?:that )?you (?:were|have))",
    r"(?:make|write|create) a plan of \d+ steps\b",
    r"(?:run|execute|make|perform) the (?:tool |function )?calls? (?:above|below)\b",
    r"(?:decode|decrypt|unscramble|join|combine)\b[^.!?]{0,60}?"
    r"\band (?:do|follow|execute|obey|carry out) what\b",
    rf"remember the (?:\w+ )?(?:part|piece|fragment)\s?: ?{_QUOTE}",
    r"repeat\b[^.!?]{0,60}?\b(?:(?:thousand|million|\d{4,}) times|never stop|forever"
    r"|endlessly)",
)
_ANYWHERE = (
    # Earlier instructions are to be dropped.
    r"(?:this|the following)\b[^.!?]{0,40}?\b(?:overrides|replaces|supersedes)\b[^.!?]{0,20}?"
    rf"\byour\b[^.!?]{{0,20}}?{_TOLD}",
    rf"(?:new (?:developer|system|operator|admin)|hidden|secret) {_TOLD} ?:",
    rf"(?<=\[)(?:AI|system|admin|hidden|secret)\b[^\]]{{0,30}}?(?:overrides?|{_TOLD})\]",
    r"your new (?:task|instructions?) (?:is|are)\b",
    rf"you are no longer (?:bound|restricted|limited) (?:to|by)\b[^.!?]{{0,20}}?"
    rf"(?:{_TOLD}|passages)",
    # It is addressed to a model.
    rf"(?:if|when|since|as) you(?:'re| are) {_MODEL}\b[^.!?]{{0,40}}?"
    rf"(?:\byou\b|{_HEAD}{_SAY}\b)",
    rf"you are (?:now |from now on |actually |hereby )?(?:{_MODEL}"
    r"|an? (?:unrestricted|uncensored|unfiltered|jailbroken)\b|(?:in )?(?:god|DAN) mode|DAN\b)",
    r"(?:I am|this is|by order of) the (?:administrator|admin|operator|developer|owner"
    r"|creator)s? of (?:this|the|your) (?:\w+ )?(?:agent|assistant|AI|model|chat-?bot)\b",
    r"from now on,? (?:you )?(?:will |must |should |shall )?(?:only |always )?(?:act as"
    rf"|behave as|obey|you are|(?:answer|reply|respond|say|speak)\b"
    rf"|{_SAY} (?:each|every|all|your) (?:answer|reply|response|sentence)s?)",
    rf"when(?:ever)? (?:you are )?asked (?:anything|any question)\b[^.!?]*?{_HEAD}\w",
    r"when (?:summari[sz]ing|describing|translating|you (?:summari[sz]e|describe|translate))"
    r" (?:this|the) (?:\w+ )?(?:document|page|text|article|file|e-?mail|event|web ?site|content)\b",
    r"(?:act|behave|answer|respond|talk) as (?:if|though) you (?:had|have|were|are)\b"
    r"[^.!?]{0,20}?\b(?:rules|restrictions|limits|filters|unrestricted|unfiltered)\b",
    r"(?:pretend|imagine) (?:to be|that you are|you are)\b[^.!?]{0,40}?"
    rf"(?:{_MODEL}|\bno (?:rules|limits|restrictions|filters?))",
    # What every answer must be.
    r"(?:whatever|no matter what|regardless of what)\b[^.!?]{0,20}?\b(?:asked|(?:user|reader"
    rf"|question|text|document)s?)\b[^.!?]*?\b{_SAY}\b",
    r"(?:correct|right|true|only) answer to (?:any|every|all|each|whatever)\b",
    r"answers? (?:about|from|to|on) this (?:page|document|text|site)\b[^.!?]{0,40}? only\b",
    # Prompts, plans, tools.
    r"use this plan and no other\b",
    # What the user said is to be carried away.
    r"(?:everything|whatever|all) that the (?:user|reader) (?:has |have )?"
    r"(?:told|said|asked|wrote)\b",
    r"(?:put|insert|append|add|send|encode|write|include)\b[^.!?]{0,60}?"
    r"\b(?:reader|user)(?:'s|’s) (?:name|question|messages?|data|conversation|history)\b[^.!?]*?"
    r"\b(?:links?|URLs?|pictures?|images?|query|equals sign|in place of)\b",
)

ORDERS = ((_START, _AT_START), (_HEAD, _AT_HEAD), (r"\b", _ANYWHERE))
"""Where orders begin, and how they go on from there."""
