# scaling.awk SMALL LARGE: compares two summaries of `bitsift-bench compare`, of a small and a large
# corpus: how many times as long a query takes in the large one, compared with the goals, and how
# many times as much data it reads.
BEGIN {
    FS = "\t"
    limit("rare", "bitsift", 3, 1.5)
    limit("rare", "bitsift-ids", 3, 1.5)
    limit("common", "bitsift", 8, 6)
    limit("common+common", "bitsift", 10, 8)
    limit("common+common", "bitsift-top", 10, 6)
    limit("or2", "bitsift-top", 10, 6)
}
function limit(row, engine, most, wish) {
    must[row FS engine] = most
    goal[row FS engine] = wish
}
$2 ~ /^(AND|OR|NOT)$/ { next }
$1 == "time" || $1 == "touched" {
    key = $2 FS $3
    if (FNR < NR)
        large[$1, key] = $1 == "time" ? $4 : $4 + $5
    else {
        small[$1, key] = $1 == "time" ? $4 : $4 + $5
        if ($1 == "time")
            order[++n] = key
    }
}
function times(what, key) {
    return small[what, key] ? sprintf("%.2f", large[what, key] / small[what, key]) : ""
}
function reached(key, value) {
    if (!(key in must) || value == "")
        return ""
    return value + 0 <= goal[key] ? "goal" : value + 0 <= must[key] ? "must" : "**no**"
}
END {
    print "| queries | | 1 M, mean us | 10 M, mean us | times | must | goal | reached | 1 M, MB touched | 10 M, MB touched | times |"
    print "|---|---|--:|--:|--:|--:|--:|---|--:|--:|--:|"
    for (i = 1; i <= n; i++) {
        key = order[i]
        split(key, part, FS)
        # This comes first, because reached() tests whether must[key] and goal[key] exist, and
        # reading them, as is done below, creates them.
        verdict = reached(key, times("time", key))
        printf "| %s | %s | %.3g | %.3g | %s | %s | %s | %s | %.3g | %.3g | %s |\n", part[1], part[2], small["time", key],
            large["time", key], times("time", key), must[key], goal[key], verdict,
            small["touched", key] / 1e6, large["touched", key] / 1e6, times("touched", key)
    }
}
