# scaling.awk SMALL LARGE: two summaries of `bitsift-bench compare` -> how many times longer the large corpus takes.
BEGIN { FS = "\t" }
$1 == "time" && $2 != "AND" {
    key = $2 "\t" $3
    if (FNR == NR) {
        small[key] = $4
        order[++n] = key
    } else
        large[key] = $4
}
END {
    print "| queries | | 1 M, mean us | 10 M, mean us | times |"
    print "|---|---|--:|--:|--:|"
    for (i = 1; i <= n; i++) {
        split(order[i], part, "\t")
        key = order[i]
        printf "| %s | %s | %.3g | %.3g | %.2f |\n", part[1], part[2], small[key], large[key], large[key] / small[key]
    }
}
