# quality_topics.awk FILE: converts TREC topics ("<num> Number: 301", "<title> ...") to lines of
# "301 TAB text". The text is only the title, which is the query in most published figures.
function tell() { if (number != "") print number "\t" title; number = title = "" }
/<top>/ { tell() }
/<num>/ { is_title = 0; line = $0; sub(/.*<num>[ \t]*(Number:)?[ \t]*/, "", line); sub(/[ \t]*<.*/, "", line); sub(/[ \t\r]+$/, "", line); number = line + 0 == line ? line + 0 : line; next }
/<title>/ { is_title = 1; sub(/.*<title>[ \t]*(Topic:)?/, "") }
/^[ \t]*<(desc|narr|\/title|\/top)/ { is_title = 0 }
is_title { sub(/<\/title>.*/, ""); gsub(/[\t\r]/, " "); title = title " " $0 }
END { tell() }
