# json.awk: quotes a text as JSON, for the other scripts here that make records.
function quoted(text) {
    gsub(/\\/, "\\\\\\\\", text)
    gsub(/"/, "\\\"", text)
    gsub(/\t/, "\\t", text)
    gsub(/\n/, "\\n", text)
    gsub(/[\001-\037]/, " ", text)
    return "\"" text "\""
}
