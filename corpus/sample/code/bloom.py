"""A Bloom filter small enough to read in one breath."""
from hashlib import blake2b


class BloomFilter:
    def __init__(self, n_bits, n_hashes):
        self.n_bits = n_bits
        self.n_hashes = n_hashes
        self.bits = bytearray((n_bits + 7) // 8)

    def _positions(self, key):
        digest = blake2b(key.encode(), digest_size=16).digest()
        g = int.from_bytes(digest[:8], "little")
        h = int.from_bytes(digest[8:], "little") | 1
        return ((g + i * h) % self.n_bits for i in range(self.n_hashes))

    def add(self, key):
        for p in self._positions(key):
            self.bits[p >> 3] |= 1 << (p & 7)

    def __contains__(self, key):
        return all(self.bits[p >> 3] >> (p & 7) & 1 for p in self._positions(key))


birds = BloomFilter(n_bits=1000, n_hashes=7)
for bird in ("wren", "kestrel", "gull", "tern"):
    birds.add(bird)
assert "wren" in birds      # never a false negative
print("penguin" in birds)   # almost always False
