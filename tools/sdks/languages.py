"""The languages that have an SDK in `sdks`, and how each one's test program is started."""

PROGRAMS = {
    "node": ("node", "sdks/node/test/peer.mjs"),
    "go": ("env", "HUNDI_PEER=1", "sdks/go/build/peer"),
    "java": ("java", "-cp", "sdks/java/target/classes:sdks/java/target/test-classes", "hundi.Peer"),
    "php": ("php", "sdks/php/tests/peer.php"),
}
"""The test program of each language, built by `make -C sdks LANGUAGE`."""
