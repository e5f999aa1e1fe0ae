# postgresql.awk -v corpus=NAME -v memory=SIZE: values of postgresql.sh -> a table in Markdown. The last value of each name counts.
$1 == corpus && $2 == memory { v[$3, $4] = $5; if (!($3 in known)) { known[$3]; order[++n_engines] = $3 } }

function number(x) {
    if (x == "") return ""
    if (x >= 1000000) return sprintf("%.1f M", x / 1000000)
    if (x >= 1000) { x = sprintf("%.0f", x); return substr(x, 1, length(x) - 3) "," substr(x, length(x) - 2) }
    return x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x)
}
function ratio(a, b) { return a != "" && b != "" && b + 0 > 0 ? a / b : "" }
# What a goal is about: ours against theirs.
function row(title, what, goal, against,    i, line) {
    line = "| " title " |"
    for (i = 1; i <= 5; i++) line = line " " number(v[columns[i], what]) " |"
    print line " " against " | " goal " |"
}
function times(x) { return x == "" ? "" : sprintf("%.2f", x) }
# A ratio of means (theirs / ours), and of medians in brackets.
function faster(theirs, ours, kind,    mean, median) {
    mean = ratio(v[theirs, kind " mean ms"], v[ours, kind " mean ms"]); median = ratio(v[theirs, kind " median ms"], v[ours, kind " median ms"])
    return mean == "" ? "" : sprintf("%.1f x (%.1f)", mean, median)
}
function pair(title, kind, goal, against,    i, line) {
    line = "| " title " |"
    for (i = 1; i <= 5; i++)
        line = line (v[columns[i], kind " mean ms"] == "" ? " |" : " " number(v[columns[i], kind " mean ms"]) " (" number(v[columns[i], kind " median ms"]) ") |")
    print line " " against " | " goal " |"
}
END {
    split("gin rum trgm words both", columns, " ")
    printf "%s rows (%s bytes of text), maintenance_work_mem %s. Times are means, medians in brackets.\n\n", number(v["table", "rows"]), number(v["table", "bytes"]), memory
    print "| | GIN tsvector | RUM | GIN pg_trgm | bitsift words | bitsift words and grams | bitsift against them | must |"
    print "|---|--:|--:|--:|--:|--:|---|---|"
    row("build, s", "build s", ">= 4; >= 3", times(ratio(v["gin", "build s"], v["words", "build s"])) " x GIN; both " times(ratio(v["gin", "build s"] + v["trgm", "build s"], v["both", "build s"])) " x the two")
    row("size, bytes", "index bytes", "<= 0.6; <= 0.5", times(ratio(v["words", "index bytes"], v["gin", "index bytes"])) " of GIN; both " times(ratio(v["both", "index bytes"], v["gin", "index bytes"] + v["trgm", "index bytes"])) " of the two")
    row("WAL of the build, bytes", "build WAL bytes", "<= 1", times(ratio(v["words", "build WAL bytes"], v["gin", "build WAL bytes"])) " of GIN; both " times(ratio(v["both", "build WAL bytes"], v["gin", "build WAL bytes"] + v["trgm", "build WAL bytes"])) " of the two")
    pair("AND count, ms", "and", "> 1", faster("gin", "words", "and") " GIN")
    pair("OR count, ms", "or", "> 1", faster("gin", "words", "or") " GIN")
    pair("phrase count, ms", "phrase", ">= 3", faster("gin", "words", "phrase") " GIN")
    pair("LIKE count, ms", "like", ">= 3", faster("trgm", "both", "like") " pg_trgm")
    row("... rows removed by recheck", "like rows removed by recheck", "", "")
    pair("ILIKE count, ms", "ilike", ">= 3", faster("trgm", "both", "ilike") " pg_trgm")
    row("... rows removed by recheck", "ilike rows removed by recheck", "", "")
    pair("regular expression count, ms", "regex", ">= 3", faster("trgm", "both", "regex") " pg_trgm")
    row("... rows removed by recheck", "regex rows removed by recheck", "", "")
    pair("ten best of AND, ms", "best", ">= 10; > 1", faster("gin", "words", "best") " GIN; " faster("rum", "words", "best") " RUM")
    pair("ten best of OR, ms", "bestor", ">= 10; > 1", faster("gin", "words", "bestor") " GIN; " faster("rum", "words", "bestor") " RUM")
    what = "inserts a second, one a transaction"
    row(what, what, ">= 1", times(ratio(v["words", what], v["gin", what])) " of GIN; both " times(ratio(v["both", what], v["trgm", what])) " of pg_trgm")
    what = "inserts a second, 1,000 a transaction"
    row(what, what, ">= 1", times(ratio(v["words", what], v["gin", what])) " of GIN; both " times(ratio(v["both", what], v["trgm", what])) " of pg_trgm")
    what = "updates a second, one a transaction"
    row(what, what, ">= 1", times(ratio(v["words", what], v["gin", what])) " of GIN; both " times(ratio(v["both", what], v["trgm", what])) " of pg_trgm")
    for (key in v) { split(key, parts, SUBSEP); if (parts[1] == "gin" && parts[2] ~ /^WAL bytes/) wal[parts[2]] }
    for (what in wal) row(what, what, "<= 1", times(ratio(v["words", what], v["gin", what])) " of GIN; both " times(ratio(v["both", what], v["trgm", what])) " of pg_trgm")
    pair("AND count while rows are pending, ms", "and pending", "<= 3", times(ratio(v["words", "and pending mean ms"], v["words", "and mean ms"])) " x without")
    pair("OR count while rows are pending, ms", "or pending", "<= 3", times(ratio(v["words", "or pending mean ms"], v["words", "or mean ms"])) " x without")
    pair("LIKE count while rows are pending, ms", "like pending", "<= 3", times(ratio(v["both", "like pending mean ms"], v["both", "like mean ms"])) " x without")
    row("VACUUM after all of that, s", "VACUUM s", "", "")
    row("counts compared with a sequential scan's", "counts compared with a scan", "", "")
    row("... of which differ", "counts that differ from a scan's", "0", "")
}
