# goals.awk -v corpus=NAME SUMMARY: what this project set out to reach on a large collection, and what the summary says of it.
# "times faster": the other's time divided by bitsift's.
BEGIN { FS = "\t" }
$1 == "time" { mean[$2, $3] = $4; median[$2, $3] = $5 }
$1 == "index" { words[$2] = $4; seconds[$2] = $5 }
$1 == "rate" { rate[$2] = $3 }
$1 == "false" { false_median = $2; false_mean = $3; has_false = 1 }

function line(what, value, must, goal, more_is_better) {
    if (value == "")
        return
    verdict = more_is_better ? (value >= goal ? "goal" : value >= must ? "must" : "**no**") \
                             : (value <= goal ? "goal" : value <= must ? "must" : "**no**")
    printf "| %s | %.3g | %s %s | %s | %s |\n", what, value, more_is_better ? ">=" : "<=", must, goal, verdict
}
function ratio(a, b) {
    return a == "" || b == "" || b == 0 ? "" : a / b
}
END {
    long = corpus == "linux" # documents are long there, and positions most of what the others store
    print "\n### Against what was to be reached\n"
    print "| what | measured | must | goal | reached |"
    print "|---|--:|--:|--:|---|"
    line("AND candidates, times faster than Lucene's count, mean", ratio(mean["AND", "lucene"], mean["AND", "candidates"]), 6, 6, 1)
    line("AND candidates, times faster than FTS5's count, mean", ratio(mean["AND", "fts5-full"], mean["AND", "candidates"]), 20, 20, 1)
    line("AND candidates, of CRoaring's time, mean", ratio(mean["AND", "candidates"], mean["AND", "croaring"]), 2, 1)
    line("AND candidates of two common words, of CRoaring's time, mean", ratio(mean["common+common", "candidates"], mean["common+common", "croaring"]), 1, 1)
    line("AND candidates of three common words, of CRoaring's time, mean", ratio(mean["common+common+common", "candidates"], mean["common+common+common", "croaring"]), 1, 1)
    line("exact AND count, times faster than Lucene, mean", ratio(mean["AND", "lucene"], mean["AND", "bitsift"]), 1.3, 3, 1)
    line("exact AND count, times faster than FTS5, mean", ratio(mean["AND", "fts5-full"], mean["AND", "bitsift"]), 5, 12, 1)
    line("exact AND count, times faster than Xapian, mean", ratio(mean["AND", "xapian"], mean["AND", "bitsift"]), 3, 8, 1)
    line("exact AND count, of Lucene's time, median", ratio(median["AND", "bitsift"], median["AND", "lucene"]), 1, 1)
    line("exact phrase count, of Lucene's time, median", ratio(median["phrase", "bitsift"], median["phrase", "lucene"]), 1.3, 1)
    line("exact phrase count, of Lucene's time, mean", ratio(mean["phrase", "bitsift"], mean["phrase", "lucene"]), 3, 1)
    line("exact phrase count, of FTS5's time, mean", ratio(mean["phrase", "bitsift"], mean["phrase", "fts5-full"]), 2, 1)
    line("index of the words, of Lucene's bytes", ratio(words["bitsift"], words["lucene"]), long ? 0.25 : 0.9, long ? 0.15 : 0.5)
    line("index of the words, of FTS5's bytes", ratio(words["bitsift"], words["fts5-full"]), long ? 0.25 : 0.65, long ? 0.15 : 0.5)
    line("index of the words, density 0.5, of Lucene's bytes", ratio(words["bitsift-d50"], words["lucene"]), 0.6, 0.5)
    line("build rate, times Lucene's", ratio(seconds["lucene"], seconds["bitsift"]), 4, 10, 1)
    line("build rate, times FTS5's", ratio(seconds["fts5-full"], seconds["bitsift"]), 3, 8, 1)
    line("build rate of two threads, times one's", ratio(seconds["bitsift"], seconds["bitsift-2t"]), 1.6, 1.6, 1)
    line("tokenizer, ASCII, times ICU's rate", ratio(rate["tokenizer"], rate["tokenizer-icu"]), 6, 15, 1)
    if (has_false) {
        line("false candidates a match, median", false_median + 0, 0.5, 0.2)
        line("false candidates a match, mean", false_mean + 0, 2, 0.5)
    }
    for (n = 1; n <= 8; n *= 2)
        line("AND kernel, " n " columns, of the plain sum's rate", rate["kernel-" n], 0.8, 0.95, 1)
}
