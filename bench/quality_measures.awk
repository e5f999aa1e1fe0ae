# quality_measures.awk QRELS RUN: nDCG@10, MAP and Recall@100, means over the queries that have a relevant document. QRELS:
# "query 0 document grade", relevant from grade 1 on; RUN: "query document", the best first. For nDCG a relevant document
# counts one, whatever its grade.
FNR == NR { if ($4 > 0 && !(($1, $3) in relevant)) { relevant[$1, $3] = 1; n_relevant[$1]++ } next }
{
    rank = ++n_ranked[$1]
    if (!(($1, $2) in relevant)) next
    n_found = ++found[$1]
    precision[$1] += n_found / rank
    if (rank <= 10) gain[$1] += log(2) / log(rank + 1)
    if (rank <= 100) recalled[$1]++
}
END {
    for (query in n_relevant) {
        ideal = 0
        for (rank = 1; rank <= 10 && rank <= n_relevant[query]; rank++) ideal += log(2) / log(rank + 1)
        ndcg += gain[query] / ideal
        map += precision[query] / n_relevant[query]
        recall += recalled[query] / n_relevant[query]
        n++
    }
    printf "%.4f %.4f %.4f\n", ndcg / n, map / n, recall / n
}
