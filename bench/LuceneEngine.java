/*
 * LuceneEngine.java: Lucene 8 for the benchmark, driven by engine_lucene.c.
 *
 *   LuceneEngine build-positions|build-documents|build-standard CORPUS INDEX
 *       builds the index. Prints three durations in nanoseconds: the time to add and flush all
 *       documents, the time to merge the index into one segment, and the CPU time of both.
 *   LuceneEngine serve CORPUS INDEX
 *       reads queries from standard input, as lines "count|top TAB and|or|not|phrase TAB word TAB
 *       word ...", and answers each with a line "hits nanoseconds" on standard output. hits: the
 *       number of all hits or, for `top`, of the best ten.
 *
 * CORPUS is a folder of the files that tokens.h describes. build-positions and build-documents
 * index its tokens, build-standard the tokens that StandardAnalyzer finds in its texts. The index
 * of build-documents has only the documents of each term; the other two also have frequencies,
 * norms (both needed by BM25) and positions. Nothing is stored. A single thread adds the documents
 * and merges segments (SerialMergeScheduler).
 */
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.BytesTermAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;

public final class LuceneEngine {
    private static final String FIELD = "t";

    /** Reads unsigned LEB128. Has its own buffer, because DataInputStream locks for every byte. */
    private static final class VarintReader {
        private final InputStream in;
        private final byte[] buffer = new byte[1 << 20];
        private int at, end;

        VarintReader(Path path) throws IOException {
            in = new FileInputStream(path.toFile());
        }

        private boolean fill() throws IOException {
            at = 0;
            end = in.read(buffer, 0, buffer.length);
            return end > 0;
        }

        boolean atEnd() throws IOException {
            return at >= end && !fill();
        }

        long next() throws IOException {
            long value = 0;
            for (int shift = 0;; shift += 7) {
                if (at >= end && !fill()) throw new EOFException();
                byte b = buffer[at++];
                value |= (long) (b & 0x7f) << shift;
                if (b >= 0) return value;
            }
        }

        void read(byte[] into, int offset, int n) throws IOException {
            for (int done = 0; done < n;) {
                if (at >= end && !fill()) throw new EOFException();
                int part = Math.min(n - done, end - at);
                System.arraycopy(buffer, at, into, offset + done, part);
                at += part;
                done += part;
            }
        }
    }

    /**
     * All terms, in one array. With an array per term, the measured time would include the garbage
     * collection of millions of objects.
     */
    private static final class Terms {
        byte[] bytes;
        int[] starts = new int[1 << 16];
        private final BytesRef one = new BytesRef();

        Terms(Path corpus) throws IOException {
            Path path = corpus.resolve("terms");
            VarintReader in = new VarintReader(path);
            bytes = new byte[Math.toIntExact(Files.size(path))];
            one.bytes = bytes;
            int n = 0;
            while (!in.atEnd()) {
                int length = (int) in.next();
                if (n + 1 == starts.length) starts = Arrays.copyOf(starts, starts.length * 2);
                in.read(bytes, starts[n], length);
                starts[n + 1] = starts[n] + length;
                n++;
                in.next();
            }
        }

        BytesRef get(int number) {
            one.offset = starts[number];
            one.length = starts[number + 1] - starts[number];
            return one;
        }
    }

    /** The tokens of the current document, as read from the file `tokens`. */
    private static final class GivenTokens extends TokenStream {
        private final BytesTermAttribute term = addAttribute(BytesTermAttribute.class);
        private final PositionIncrementAttribute increment = addAttribute(PositionIncrementAttribute.class);
        private final Terms terms;
        private final VarintReader in;
        private long left;

        GivenTokens(Terms terms, VarintReader in) {
            this.terms = terms;
            this.in = in;
        }

        void nextDocument() throws IOException {
            left = in.next();
        }

        @Override
        public boolean incrementToken() throws IOException {
            if (left == 0) return false;
            left--;
            long code = in.next();
            int jump = (code & 1) == 0 ? 0 : (int) in.next();
            clearAttributes();
            term.setBytesRef(terms.get((int) (code >> 1)));
            increment.setPositionIncrement(1 + jump);
            return true;
        }
    }

    private static IndexWriter openWriter(Path index, Analyzer analyzer) throws IOException {
        IndexWriterConfig config = new IndexWriterConfig(analyzer);
        config.setRAMBufferSizeMB(256);
        config.setMergeScheduler(new SerialMergeScheduler());
        config.setUseCompoundFile(false);
        config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
        return new IndexWriter(new MMapDirectory(index), config);
    }

    private static FieldType typeOf(boolean positions) {
        FieldType type = new FieldType();
        type.setTokenized(true);
        type.setStored(false);
        type.setOmitNorms(!positions);
        type.setIndexOptions(positions ? IndexOptions.DOCS_AND_FREQS_AND_POSITIONS : IndexOptions.DOCS);
        type.freeze();
        return type;
    }

    private static void addTokens(IndexWriter writer, Terms terms, Path corpus, boolean positions)
            throws IOException {
        VarintReader in = new VarintReader(corpus.resolve("tokens"));
        GivenTokens tokens = new GivenTokens(terms, in);
        Field field = new Field(FIELD, tokens, typeOf(positions));
        Document document = new Document();
        document.add(field);
        while (!in.atEnd()) {
            tokens.nextDocument();
            writer.addDocument(document);
        }
    }

    private static void addTexts(IndexWriter writer, Path corpus) throws IOException {
        VarintReader in = new VarintReader(corpus.resolve("texts"));
        Field field = new Field(FIELD, "", typeOf(true));
        Document document = new Document();
        document.add(field);
        byte[] bytes = new byte[1 << 16];
        while (!in.atEnd()) {
            int n = (int) in.next();
            if (n > bytes.length) bytes = new byte[n * 2];
            in.read(bytes, 0, n);
            field.setStringValue(new String(bytes, 0, n, StandardCharsets.UTF_8));
            writer.addDocument(document);
        }
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static void build(String kind, Path corpus, Path index) throws IOException {
        boolean standard = kind.equals("build-standard");
        Terms terms = standard ? null : new Terms(corpus);
        long cpu = cpuNanos();
        long start = System.nanoTime();
        IndexWriter writer = openWriter(index, standard ? new StandardAnalyzer() : new KeywordAnalyzer());
        if (standard)
            addTexts(writer, corpus);
        else
            addTokens(writer, terms, corpus, kind.equals("build-positions"));
        writer.flush();
        long added = System.nanoTime();
        writer.forceMerge(1);
        writer.close();
        System.out.println((added - start) + " " + (System.nanoTime() - added) + " " + (cpuNanos() - cpu));
    }

    private static Query queryOf(String[] parts) {
        if (parts.length == 3) return new TermQuery(new Term(FIELD, parts[2]));
        if (parts[1].equals("phrase")) {
            PhraseQuery.Builder builder = new PhraseQuery.Builder();
            for (int i = 2; i < parts.length; i++) builder.add(new Term(FIELD, parts[i]));
            return builder.build();
        }
        BooleanQuery.Builder builder = new BooleanQuery.Builder();
        for (int i = 2; i < parts.length; i++)
            builder.add(new TermQuery(new Term(FIELD, parts[i])),
                    parts[1].equals("or") ? BooleanClause.Occur.SHOULD
                            : parts[1].equals("not") && i == 3 ? BooleanClause.Occur.MUST_NOT
                            : BooleanClause.Occur.MUST);
        return builder.build();
    }

    private static void serve(Path index) throws IOException {
        Directory directory = new MMapDirectory(index);
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setQueryCache(null);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line; (line = in.readLine()) != null;) {
            String[] parts = line.split("\t");
            long start = System.nanoTime();
            Query query = queryOf(parts);
            long count = parts[0].equals("count") ? searcher.count(query) : searcher.search(query, 10).scoreDocs.length;
            long elapsed = System.nanoTime() - start;
            out.println(count + " " + elapsed);
            out.flush();
        }
    }

    public static void main(String[] arguments) throws IOException {
        Path corpus = Paths.get(arguments[1]);
        Path index = Paths.get(arguments[2]);
        if (arguments[0].equals("serve"))
            serve(index);
        else {
            Files.createDirectories(index);
            build(arguments[0], corpus, index);
        }
    }
}
