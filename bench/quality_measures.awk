# quality_measures.awk [-v no_self=1] QRELS RUN: prints nDCG@10, MAP and Recall@100, computed as by
# trec_eval -c: as means over the queries that have a relevant document. The gain of a relevant
# document is its grade. QRELS: "query 0 document grade", relevant from grade 1 on, or "query
# document grade" after a header line. RUN: "query Q0 document rank ..." or "query document", the
# best first. no_self: ignores a document whose id is that of the query, because the query is this
# document.
FNR == NR {
    if (NF == 3 && FNR == 1 && $3 + 0 != $3) next
    document = NF == 3 ? $2 : $3; grade = NF == 3 ? $3 : $4
    if (grade > 0 && !(($1, document) in relevant)) { relevant[$1, document] = grade; grades[$1, ++n_relevant[$1]] = grade }
    next
}
{
    document = NF > 2 ? $3 : $2
    if (no_self && document == $1) next
    rank = ++n_ranked[$1]
    if (!(($1, document) in relevant)) next
    n_found = ++found[$1]
    precision[$1] += n_found / rank
    if (rank <= 10) gain[$1] += relevant[$1, document] * log(2) / log(rank + 1)
    if (rank <= 100) recalled[$1]++
}
# Returns the largest remaining grade of a query's relevant documents and removes it, for the ideal
# ranking.
function largest(query,    i, best) {
    for (i = best = 1; i <= n_relevant[query]; i++) if (grades[query, i] > grades[query, best]) best = i
    i = grades[query, best]; grades[query, best] = 0
    return i
}
END {
    for (query in n_relevant) {
        ideal = 0
        for (rank = 1; rank <= 10 && rank <= n_relevant[query]; rank++) ideal += largest(query) * log(2) / log(rank + 1)
        ndcg += gain[query] / ideal
        map += precision[query] / n_relevant[query]
        recall += recalled[query] / n_relevant[query]
        n++
    }
    printf "%.4f %.4f %.4f\n", ndcg / n, map / n, recall / n
}
