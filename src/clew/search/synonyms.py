"""Other words for the words of a question: abbreviations, derived forms that stemming leaves apart, and spellings.

Each line is a family whose members find each other, at little weight: the user's own words decide. Chosen on one half
of the development repositories and confirmed on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

WEIGHT = 0.2  # of a word that was not said; at 0.4 it already adds more noise than it finds

_FAMILIES = """
auth authentication authenticate authorization authorize authorise
config configuration configure conf cfg settings
init initialize initialise initialization
msg message
ctx context
db database
err error exception
req request
res response resp
dir directory folder
param parameter
arg argument
env environment
conn connection
addr address
fn func function
impl implementation implement
info information
doc documentation
exec execute execution
serialize serialise serialization serializer
deserialize deserialise deserialization deserializer decode
normalize normalise normalization
color colour
behavior behaviour
cancel cancellation canceled cancelled
async asynchronous
sync synchronous synchronize synchronization
parse parser parsing
validate validation validator
derive derivation derivative
resolve resolution resolver
regex regexp pattern
repo repository
temp tmp temporary
max maximum
min minimum
num number
str string
char character
len length
iter iterator iterate iteration
alloc allocate allocation allocator
buf buffer
cb callback
cmd command
cert certificate
util utility helper
ref reference
attr attribute
prop property
elem element
idx index
del delete remove
compress compression gzip
redirect redirection
encode encoder encoding
prev previous
src source
dest destination dst
stmt statement
expr expression
val value
var variable
stat statistics
proc process
mgr manager
ws websocket
tz timezone
"""


def with_synonyms(terms: Mapping[str, float], relatives: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    """The terms and, lighter, the other members of their families. Never changes a term that was said."""
    out = dict(terms)
    for term, weight in terms.items():
        for other in relatives.get(term, ()):
            out.setdefault(other, WEIGHT * weight)
    return out


def families(tokenizer: Callable[[str], list[str]]) -> dict[str, tuple[str, ...]]:
    """Each term's relatives, as terms of the index."""
    out: dict[str, tuple[str, ...]] = {}
    for line in _FAMILIES.strip().splitlines():
        members = list(dict.fromkeys(tokenizer(line)))
        for member in members:
            out[member] = tuple(dict.fromkeys((*out.get(member, ()), *(each for each in members if each != member))))
    return out
