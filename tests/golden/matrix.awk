# matrix.awk: prints v4/matrix/r.jsonl, the source of the golden index of a matrix of two blocks:
# pseudo-random records, one in a hundred of which is long.
BEGIN {
    x = 1
    for (i = 0; i < 620; i++) {
        printf "{\"id\":%d,\"text\":\"all", i
        for (j = i % 100 == 7 ? -120 : 0; j < 5; j++) {
            x = (x * 16807) % 2147483647
            printf " %s%d", j % 2 ? "w" : "v", x % (j % 2 ? 25 : 2500)
        }
        print "\"}"
    }
}
