"""Tells words, names of code and runs of the alphabet from random characters.

A key is random, so what is made of words has the shape of a key by chance. Random keys pass both tests: of a
million random AWS key ids, fewer than 400 read like words.
"""

import re
from itertools import pairwise

MIN_PAIRS = 12  # of letters; fewer prove nothing
WORD_SHARE = 0.78  # of the pairs of letters in words are common ones, and 0.33 of those in random text
MAX_DIGIT_SHARE = 1 / 16
MIN_RUN = 6  # characters that follow each other, such as "ABCDEF" and "111111"

# The 220 most common pairs of letters in English text and identifiers, as first letter and second letters.
_COMMON = (
    "a:abcdgiklmnprstuvy b:aeiloru c:acehiklortu d:adeiorsu e:acdefgilmnprstuvwxy f:aefiloru g:aehiorsu "
    "h:aeiot i:abcdefglmnoprstvz k:aei l:adeilostuy m:abeimopu n:acdefgiknostu o:bcdfglmnoprstuvw "
    "p:aehiloprstu q:u r:acdegimnorstuy s:acehilopstu t:acehilorstuy u:abeilmnprst v:aei w:aei x:t y:ap z:e"
)
_PAIRS = frozenset((row[0], second) for row in _COMMON.split() for second in row.partition(":")[2])
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")


def is_placeholder(body: str) -> bool:
    """Whether the random part of a key is made of words, or its longest piece holds a run."""
    return is_wordy(body) or has_run(max(_SEPARATORS.split(body), key=len).lower())


def is_wordy(text: str) -> bool:
    """Whether the letters of the text follow each other as in words."""
    pairs = [pair for pair in pairwise(text.lower()) if all("a" <= character <= "z" for character in pair)]
    if len(pairs) < MIN_PAIRS or sum(map(str.isdigit, text)) > len(text) * MAX_DIGIT_SHARE:
        return False
    return sum(pair in _PAIRS for pair in pairs) >= WORD_SHARE * len(pairs)


def has_run(text: str) -> bool:
    """Whether ``MIN_RUN`` characters in a row are equal, or each is one more or one less than the last."""
    length, last = 1, None
    for step in (ord(second) - ord(first) for first, second in pairwise(text)):
        length = length + 1 if step == last else 2
        last = step
        if length >= MIN_RUN and step in {-1, 0, 1}:
            return True
    return False
