"""What duels cost: pairs of a duel, from the journals of studies."""

import sqlite3

# A duel that was left undecided before its first look has none.
DUELS = """SELECT count(pairs), total(pairs) FROM (
    SELECT json_extract(evidence, '$.looks[#-1].pairs') AS pairs
    FROM verdicts JOIN confirmations USING (confirmation) WHERE purpose = 'duel')"""


def duels_of(journals):
    """How many duels were decided, and the pairs of all, over all their devices."""
    duels = pairs = 0
    for journal in journals:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
            count, some = database.execute(DUELS).fetchone()
            duels, pairs = duels + count, pairs + int(some)
    return duels, pairs


def told(duels, pairs):
    return f"{duels} duels of {pairs / max(duels, 1):.1f} pairs"
