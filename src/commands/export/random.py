class Stream:
    """matchq's random numbers: the generator xoshiro256++ of Blackman and Vigna."""

    def __init__(self, seed, role, index):
        lanes = [mix(seed + lane * 0x9E3779B97F4A7C15) for lane in (1, 2, 3, 4)]
        self.state = [mix(mix(lane ^ role) ^ index) for lane in lanes]

    def next(self):
        """The next 64 bits."""
        a, b, c, d = self.state
        number = rotated(a + d, 23) + a & BITS
        c, d = c ^ a, d ^ b
        self.state = [a ^ d, b ^ c, c ^ (b << 17 & BITS), rotated(d, 45)]
        return number

    def below(self, count):
        """A number from 0 to count - 1."""
        return self.next() * count >> 64


BITS = 2**64 - 1
TIE, SIMULATE = 6, 7  # what the numbers are for


def rotated(word, by):
    word &= BITS
    return (word << by | word >> 64 - by) & BITS


def mix(word):
    word &= BITS
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & BITS
    word = (word ^ word >> 27) * 0x94D049BB133111EB & BITS
    return word ^ word >> 31


def stream_of(text, left):
    """The random numbers of a position: a position always gets the same move."""
    hash = 0xCBF29CE484222325
    for byte in text.encode():
        hash = (hash ^ byte) * 0x100000001B3 & BITS
    return Stream(hash, TIE, left)
