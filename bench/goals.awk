# goals.awk -v corpus=NAME SUMMARY: compares the values of a summary of `bitsift-bench` with the
# project's goals for a large corpus. Each value has a bound that it must reach ("must") and another
# that may be stricter ("goal"); the table says which of them it reaches. "times faster": the other
# engine's time divided by bitsift's.
BEGIN { FS = "\t" }
$1 == "time" { mean[$2, $3] = $4; median[$2, $3] = $5 }
$1 == "read" && !($2 ~ /^(AND|OR|NOT)$/) { texts[$3] = max(texts[$3], $4) }
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
function max(a, b) {
    return a == "" || b + 0 > a + 0 ? b + 0 : a
}
function ratio(a, b) {
    return a == "" || b == "" || b == 0 ? "" : a / b
}
END {
    long = corpus == "linux" # its documents are files
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
    line("exact AND count, of Lucene's time, mean", ratio(mean["AND", "bitsift"], mean["AND", "lucene"]), 1, 0.5)
    line("OR count, of Lucene's time, mean", ratio(mean["OR", "bitsift"], mean["OR", "lucene"]), 1, 0.5)
    line("texts read for a count of words, the class with most, mean", texts["bitsift"], 0, 0)
    line("texts read for the ten best of words, the class with most, mean", texts["bitsift-top"], 0, 0)
    if (long) {
        split("rare low mid common", level, " ")
        for (n = 1; n <= 4; n++)
            line("one word's count, " level[n] ", mean us", mean[level[n], "bitsift"], n < 4 ? 150 : 60, 20)
        for (n = 1; n <= 3; n++)
            line("one word's ids, " level[n] ", mean us", mean[level[n], "bitsift-ids"], 200, 40)
        line("ten best of a rare word, mean us", mean["rare", "bitsift-top"], 150, 30)
        line("exact phrase count, two threads, median us", median["phrase", "bitsift-2t"], 3000, 1000)
        line("exact phrase count, two threads, mean us", mean["phrase", "bitsift-2t"], 15000, 6000)
        line("index of the words, MB", words["bitsift"] == "" ? "" : words["bitsift"] / 1e6, 80, 65)
    } else if (corpus != "documentation") {
        line("exact phrase count, of Lucene's time, mean", ratio(mean["phrase", "bitsift"], mean["phrase", "lucene"]), 1, 0.5)
        line("index of the words, of Lucene's bytes", ratio(words["bitsift"], words["lucene"]), 0.9, 0.5)
        line("index of the words, of FTS5's bytes", ratio(words["bitsift"], words["fts5-full"]), 0.65, 0.5)
    }
    if (corpus == "paragraphs") {
        line("exact AND count, mean us", mean["AND", "bitsift"], 32.3, 20)
        line("index of the words, MB", words["bitsift"] == "" ? "" : words["bitsift"] / 1e6, 168, 130)
    }
    line("exact phrase count, of FTS5's time, mean", ratio(mean["phrase", "bitsift"], mean["phrase", "fts5-full"]), 2, 1)
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
