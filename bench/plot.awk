# plot.awk -v folder=DIR SUMMARY: writes the input of plot.gp: DIR/points (for each engine: MB of
# the index that it searches, mean microseconds of all AND queries) and DIR/bars (for each class:
# mean microseconds of each engine).
BEGIN {
    FS = "\t"
    split("candidates bitsift croaring lucene fts5-full xapian", shown, " ")
    n_shown = 6
    index_of["candidates"] = index_of["bitsift"] = "bitsift"
    index_of["candidates-d50"] = index_of["bitsift-d50"] = "bitsift-d50"
}
$1 == "index" { megabytes[$2] = $4 / 1e6 }
$1 == "time" {
    mean[$2, $3] = $4
    if ($2 == "AND")
        engines[++n_engines] = $3
    else if ($2 != "phrase" && !($2 in known)) {
        known[$2] = 1
        classes[++n_classes] = $2
    }
}
END {
    points = folder "/points"
    bars = folder "/bars"
    for (i = 1; i <= n_engines; i++) {
        name = engines[i] in index_of ? index_of[engines[i]] : engines[i]
        if (name in megabytes)
            printf "%s\t%.3f\t%.3f\n", engines[i], megabytes[name], mean["AND", engines[i]] >points
    }
    printf "class" >bars
    for (e = 1; e <= n_shown; e++)
        if (("and2", shown[e]) in mean)
            printf "\t%s", shown[e] >bars
    printf "\n" >bars
    for (i = 1; i <= n_classes; i++) {
        printf "%s", classes[i] >bars
        for (e = 1; e <= n_shown; e++)
            if (("and2", shown[e]) in mean)
                printf "\t%s", (classes[i], shown[e]) in mean ? mean[classes[i], shown[e]] : "NaN" >bars
        printf "\n" >bars
    }
}
