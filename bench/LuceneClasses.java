/*
 * LuceneClasses.java: Lucene 8 for slow_classes.sh.
 *
 *   LuceneClasses build RECORDS INDEX [documents]
 *       indexes the fields level and text of a JSONL file whose strings have no escapes, as one
 *       segment. "documents": without positions, frequencies and norms.
 *   LuceneClasses count INDEX
 *       reads all queries from standard input, as lines "CLASS TAB FIELD-OR-WORD [TAB WORD]", and
 *       runs them eight times. Prints the count of each query, and as the last line the mean
 *       nanoseconds of a query in the fastest of the last three passes.
 *   LuceneClasses once INDEX
 *       reads one such line, opens the index and runs the query. Prints the nanoseconds of both.
 *
 * Matches are counted by IndexSearcher.count, by one thread and without a query cache.
 */
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.search.spans.SpanNearQuery;
import org.apache.lucene.search.spans.SpanQuery;
import org.apache.lucene.search.spans.SpanTermQuery;
import org.apache.lucene.store.MMapDirectory;

public final class LuceneClasses {
    private static String value(String line, String name) {
        String head = "\"" + name + "\":\"";
        int start = line.indexOf(head);
        return start < 0 ? "" : line.substring(start + head.length(), line.indexOf('"', start + head.length()));
    }

    private static void build(Path records, Path index, boolean hasPositions) throws IOException {
        FieldType type = new FieldType();
        type.setTokenized(true);
        type.setOmitNorms(!hasPositions);
        type.setIndexOptions(hasPositions ? IndexOptions.DOCS_AND_FREQS_AND_POSITIONS : IndexOptions.DOCS);
        type.freeze();
        IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer()).setRAMBufferSizeMB(512);
        try (IndexWriter writer = new IndexWriter(new MMapDirectory(index), config);
                BufferedReader in = Files.newBufferedReader(records, StandardCharsets.UTF_8)) {
            for (String line; (line = in.readLine()) != null;) {
                Document document = new Document();
                document.add(new Field("level", value(line, "level"), type));
                document.add(new Field("text", value(line, "text"), type));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
            writer.commit();
        }
    }

    private static Query query(String line) {
        String[] part = line.split("\t");
        Term text = new Term("text", part[1]);
        switch (part[0]) {
        case "and":
            return new BooleanQuery.Builder().add(new TermQuery(text), BooleanClause.Occur.MUST)
                    .add(new TermQuery(new Term("text", part[2])), BooleanClause.Occur.MUST).build();
        case "field": return new TermQuery(new Term(part[1], part[2]));
        case "near":
            return new SpanNearQuery(new SpanQuery[] {new SpanTermQuery(text), new SpanTermQuery(new Term("text", part[2]))}, 5, false);
        case "prefix": return new PrefixQuery(text);
        case "wildcard": return new WildcardQuery(text);
        case "fuzzy": return new FuzzyQuery(text, 1, 0, 1024, true);
        default: throw new IllegalArgumentException(line);
        }
    }

    private static IndexSearcher open(Path index) throws IOException {
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(new MMapDirectory(index)));
        searcher.setQueryCache(null);
        return searcher;
    }

    private static void count(Path index) throws IOException {
        IndexSearcher searcher = open(index);
        List<Query> queries = new ArrayList<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null;) queries.add(query(line));
        long best = Long.MAX_VALUE;
        for (int pass = 0; pass < 8; pass++) {
            long start = System.nanoTime();
            for (Query query : queries) {
                int n = searcher.count(query);
                if (pass == 0) System.out.println(n);
            }
            if (pass >= 5) best = Math.min(best, System.nanoTime() - start);
        }
        System.out.println(best / queries.size());
    }

    public static void main(String[] arguments) throws IOException {
        Path last = Paths.get(arguments[arguments[0].equals("build") ? 2 : 1]);
        switch (arguments[0]) {
        case "build": build(Paths.get(arguments[1]), last, arguments.length < 4); break;
        case "count": count(last); break;
        default:
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            long start = System.nanoTime();
            open(last).count(query(line));
            System.out.println(System.nanoTime() - start);
        }
    }
}
