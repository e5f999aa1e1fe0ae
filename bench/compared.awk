# compared.awk RECORD.tsv: prints the table of one corpus for the project's README, from the record
# of `run.sh`. The best value of a row is bold.
BEGIN {
    FS = "\t"
    n_columns = split("bitsift bitsift-stat lucene fts5-full xapian croaring", column, " ")
    split("bitsift|... looking at the files|Lucene|FTS5|Xapian|CRoaring", title, "|")
}
$1 == "time" { time[$2, $3] = $4 }
$1 == "index" { mb[$2] = $4 / 1e6; seconds[$2] = $5 }

# The mean time of an engine for all queries of some classes, which have equally many queries each.
# Returns "" if the engine was not measured with one of the classes.
function mean(classes, engine,    name, n, i, sum) {
    n = split(classes, name, " ")
    for (i = 1; i <= n; i++) {
        if (!((name[i], engine) in time))
            return ""
        sum += time[name[i], engine]
    }
    return sum / n
}
function shown(value,    text, from) {
    if (value == "")
        return ""
    text = sprintf(value < 1 ? "%.1g" : value < 9.95 ? "%.2g" : "%.0f", value)
    for (from = length(text) - 3; from > 0 && value >= 1000; from -= 3)
        text = substr(text, 1, from) "," substr(text, from + 1)
    return text
}
function row(what,    i, best, line) {
    best = ""
    for (i = 1; i <= n_columns; i++)
        if (value[i] != "" && (best == "" || value[i] < best))
            best = value[i]
    if (best == "")
        return
    line = "| " what " |"
    for (i = 1; i <= n_columns; i++)
        line = line (value[i] == "" ? " |" : value[i] == best ? " **" shown(value[i]) "** |" : " " shown(value[i]) " |")
    print line
}
function times(what, classes, suffix,    i) {
    for (i = 1; i <= n_columns; i++)
        value[i] = mean(classes, column[i] suffix)
    row(what)
}
END {
    line = "| |"
    rule = "|---|"
    for (i = 1; i <= n_columns; i++) {
        line = line " " title[i] " |"
        rule = rule "--:|"
    }
    print line "\n" rule
    times("all of 2 to 4 words, exact count", "AND")
    times("any of 2 to 5 words, exact count", "OR")
    times("one word without another, exact count", "NOT")
    times("phrase, exact count", "phrase")
    times("one word, exact count", "rare low mid common")
    times("all of 2 to 4 words, ten best", "AND", "-top")
    times("any of 2 to 5 words, ten best", "OR", "-top")
    times("phrase, ten best", "phrase", "-top")
    for (i = 1; i <= n_columns; i++)
        value[i] = column[i] in mb ? mb[column[i]] : ""
    row("index, MB")
    for (i = 1; i <= n_columns; i++)
        value[i] = column[i] in seconds ? seconds[column[i]] : ""
    row("building, s on one thread")
}
