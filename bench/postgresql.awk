# postgresql.awk -v corpus=NAME -v memory=SIZE: converts the values of postgresql.sh to a table in
# Markdown. If the input has several values of the same engine and name, the last one is used.
$1 == corpus && $2 == memory { v[$3, $4] = $5; if (!($3 in known)) { known[$3]; order[++n_engines] = $3 } }

function number(x) {
    if (x == "") return ""
    if (x >= 1000000) return sprintf("%.1f M", x / 1000000)
    if (x >= 1000) { x = sprintf("%.0f", x); return substr(x, 1, length(x) - 3) "," substr(x, length(x) - 2) }
    return x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x)
}
function ratio(a, b) { return a != "" && b != "" && b + 0 > 0 ? a / b : "" }
# Prints a line of the table, unless its cells have no values.
function line(title, cells, goal, against) {
    if (cells ~ /[0-9]/) print "| " title " |" cells " " against " | " goal " |"
}
# Prints a row of the table: the value `what` of each engine. goal: the condition that a ratio of
# two engines must meet; against: that ratio, as text.
function row(title, what, goal, against,    i, cells) {
    for (i = 1; i <= 5; i++) cells = cells " " number(v[columns[i], what]) " |"
    line(title, cells, goal, against)
}
# Prints the mean time of each engine, and its median in brackets.
function pair(title, kind, goal, against,    i, cells) {
    for (i = 1; i <= 5; i++)
        cells = cells (v[columns[i], kind " mean ms"] == "" ? " |" : " " number(v[columns[i], kind " mean ms"]) " (" number(v[columns[i], kind " median ms"]) ") |")
    line(title, cells, goal, against)
}
function times(x, of) { return x == "" ? "" : sprintf("%.2f %s", x, of) }
# Joins a comparison of the index of words and one of the index of words and grams. Either may be
# "".
function join(a, b) { return a != "" && b != "" ? a "; " b : a b }
function of_both(x, of) { return x == "" ? "" : "both " times(x, of) }
# The ratio of means (theirs / ours), and the ratio of medians in brackets.
function faster(theirs, ours, kind, name,    mean, median) {
    mean = ratio(v[theirs, kind " mean ms"], v[ours, kind " mean ms"]); median = ratio(v[theirs, kind " median ms"], v[ours, kind " median ms"])
    return mean == "" ? "" : sprintf("%.1f x (%.1f) %s", mean, median, name)
}
# The sum of the values of GIN and pg_trgm, the two indexes that bitsift's index of words and grams
# replaces; "" if one of them was not built.
function two(what) { return v["gin", what] == "" || v["trgm", what] == "" ? "" : v["gin", what] + v["trgm", what] }
function share(what) {
    return join(times(ratio(v["words", what], v["gin", what]), "of GIN"), of_both(ratio(v["both", what], two(what)), "of the two"))
}
function rate(what) {
    return join(times(ratio(v["words", what], v["gin", what]), "of GIN"), of_both(ratio(v["both", what], v["trgm", what]), "of pg_trgm"))
}
function pending(engine, kind) { return times(ratio(v[engine, kind " pending mean ms"], v[engine, kind " mean ms"]), "x without") }
END {
    split("gin rum trgm words both", columns, " ")
    printf "%s rows (%s bytes of text), maintenance_work_mem %s. Times are the processor\047s, means, medians in brackets.\n\n", number(v["table", "rows"]), number(v["table", "bytes"]), memory
    print "| | GIN tsvector | RUM | GIN pg_trgm | bitsift words | bitsift words and grams | bitsift against them | must |"
    print "|---|--:|--:|--:|--:|--:|---|---|"
    row("build, s", "build s", ">= 4; >= 3", join(times(ratio(v["gin", "build s"], v["words", "build s"]), "x GIN"), of_both(ratio(two("build s"), v["both", "build s"]), "x the two")))
    row("... by the clock", "build s by the clock", "", "")
    row("size, bytes", "index bytes", "<= 0.6; <= 0.5", share("index bytes"))
    row("WAL of the build, bytes", "build WAL bytes", "<= 1", share("build WAL bytes"))
    pair("AND count, ms", "and", "> 1", faster("gin", "words", "and", "GIN"))
    pair("OR count, ms", "or", "> 1", faster("gin", "words", "or", "GIN"))
    pair("phrase count, ms", "phrase", ">= 3", faster("gin", "words", "phrase", "GIN"))
    pair("LIKE count, ms", "like", ">= 3", faster("trgm", "both", "like", "pg_trgm"))
    row("... rows removed by recheck", "like rows removed by recheck", "", "")
    pair("ILIKE count, ms", "ilike", ">= 3", faster("trgm", "both", "ilike", "pg_trgm"))
    row("... rows removed by recheck", "ilike rows removed by recheck", "", "")
    pair("regular expression count, ms", "regex", ">= 3", faster("trgm", "both", "regex", "pg_trgm"))
    row("... rows removed by recheck", "regex rows removed by recheck", "", "")
    pair("ten best of AND, ms", "best", ">= 10; > 1", join(faster("gin", "words", "best", "GIN"), faster("rum", "words", "best", "RUM")))
    pair("ten best of OR, ms", "bestor", ">= 10; > 1", join(faster("gin", "words", "bestor", "GIN"), faster("rum", "words", "bestor", "RUM")))
    n_rates = split("inserts a second, one a transaction;inserts a second, 1,000 a transaction;updates a second, one a transaction", rates, ";")
    for (i = 1; i <= n_rates; i++) row(rates[i], rates[i], ">= 1", rate(rates[i]))
    for (key in v) { split(key, parts, SUBSEP); if (parts[1] == "gin" && parts[2] ~ /^WAL bytes/) wal[parts[2]] }
    for (what in wal) row(what, what, "<= 1", rate(what))
    pair("AND count while rows are pending, ms", "and pending", "<= 3", pending("words", "and"))
    pair("OR count while rows are pending, ms", "or pending", "<= 3", pending("words", "or"))
    pair("LIKE count while rows are pending, ms", "like pending", "<= 3", pending("both", "like"))
    row("VACUUM after all of that, s", "VACUUM s", "", "")
    row("counts compared with a sequential scan's", "counts compared with a scan", "", "")
    row("... of which differ", "counts that differ from a scan's", "0", "")
}
