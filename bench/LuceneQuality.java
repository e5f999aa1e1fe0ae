/*
 * LuceneQuality.java: ranks the documents of a collection by BM25 with Lucene's English analysis
 * (StandardTokenizer, possessives, 33 stop words, Porter), for quality.sh.
 *
 *   LuceneQuality DOCUMENTS QUERIES    prints a line "query document" for each of the 1,000 best
 *                                      documents of each query
 *
 * DOCUMENTS and QUERIES are files with lines of an id, a tab and a text.
 *
 * A word that occurs several times in a query counts several times. Each printed document has at
 * least one of the words.
 */
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

public class LuceneQuality {
	private static final int N_BEST = 1000;

	private static BooleanQuery anyOf(Analyzer analyzer, String text) throws Exception {
		BooleanQuery.Builder any = new BooleanQuery.Builder();
		try (TokenStream tokens = analyzer.tokenStream("text", text)) {
			CharTermAttribute term = tokens.addAttribute(CharTermAttribute.class);
			tokens.reset();
			while (tokens.incrementToken())
				any.add(new TermQuery(new Term("text", term.toString())), BooleanClause.Occur.SHOULD);
		}
		return any.build();
	}

	public static void main(String[] args) throws Exception {
		Analyzer analyzer = new EnglishAnalyzer();
		ByteBuffersDirectory directory = new ByteBuffersDirectory();
		BooleanQuery.setMaxClauseCount(100000);
		try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
			for (String line : (Iterable<String>) Files.lines(Paths.get(args[0]))::iterator) {
				int tab = line.indexOf('\t');
				Document document = new Document();
				document.add(new StoredField("id", line.substring(0, tab)));
				document.add(new TextField("text", line.substring(tab + 1), Field.Store.NO));
				writer.addDocument(document);
			}
			writer.forceMerge(1);
		}
		PrintStream out = new PrintStream(System.out, false, "UTF-8");
		try (DirectoryReader reader = DirectoryReader.open(directory)) {
			IndexSearcher searcher = new IndexSearcher(reader);
			searcher.setSimilarity(new BM25Similarity());
			for (String line : Files.readAllLines(Paths.get(args[1]), StandardCharsets.UTF_8)) {
				int tab = line.indexOf('\t');
				for (ScoreDoc hit : searcher.search(anyOf(analyzer, line.substring(tab + 1)), N_BEST).scoreDocs)
					out.println(line.substring(0, tab) + " " + searcher.doc(hit.doc).get("id"));
			}
		}
		out.flush();
	}
}
