# grep.awk -v tools=NAMES -v built=FILE -v tree_bytes=N: prints the tables of grep.sh. Input, as
# tab-separated values: class, pattern, number of matching files, microseconds of each tool, empty
# if it was not measured. FILE has the times and sizes of the indexes, N is the size of the tree.
BEGIN {
    n_tools = split(tools, tool, " ")
    print "| pattern | files |" head(" |")
    print "|---|--:|" rule()
}
{
    printf "| %s `%s` | %d |", $1, escaped($2), $3
    for (i = 1; i <= n_tools; i++) printf $(3 + i) == "" ? " |" : " %.1f |", $(3 + i) / 1000
    print ""
    n[$1]++
    for (i = 1; i <= n_tools; i++) {
        times[$1, i, n[$1]] = $(3 + i)
        if ($(3 + i) == "") lacks[$1, i] = 1
        else logs[$1, i] += log($(3 + i))
    }
}
END {
    print "\nMilliseconds, the least of several; medians and geometric means by class, and how many times as long as the first:\n"
    print "| class | patterns | |" head(" |")
    print "|---|--:|---|" rule()
    for (class in n) {
        line("median")
        line("geometric mean")
    }
    print "\n| index | seconds | MB/s | bytes | of the tree |\n|---|--:|--:|--:|--:|"
    while ((getline row < built) > 0) {
        split(row, b, " ")
        printf "| %s, %s | %.1f | %.0f | %d | %.1f %% |\n", b[1], b[2], b[3] / 1e6, tree_bytes / b[3], b[4], 100 * b[4] / tree_bytes
    }
}
function line(what, i, first) {
    printf "| %s | %d | %s |", class, n[class], what
    for (i = 1; i <= n_tools; i++) {
        if ((class, i) in lacks) {
            printf " |"
            continue
        }
        value[i] = what == "median" ? median(class, i) : exp(logs[class, i] / n[class])
        if (!first) first = value[i]
        printf " %.1f (%.2g) |", value[i] / 1000, value[i] / first
    }
    print ""
}
function median(class, i, j, k, sorted, swap) {
    for (j = 1; j <= n[class]; j++) {
        sorted[j] = times[class, i, j]
        for (k = j; k > 1 && sorted[k - 1] > sorted[k]; k--) {
            swap = sorted[k]
            sorted[k] = sorted[k - 1]
            sorted[k - 1] = swap
        }
    }
    j = n[class]
    return j % 2 ? sorted[(j + 1) / 2] : (sorted[j / 2] + sorted[j / 2 + 1]) / 2
}
function head(bar, i, all) {
    for (i = 1; i <= n_tools; i++) all = all " " tool[i] bar
    return all
}
function rule(i, all) {
    for (i = 1; i <= n_tools; i++) all = all "--:|"
    return all
}
function escaped(text) {
    gsub(/\|/, "\\|", text)
    return text
}
