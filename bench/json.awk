# json.awk: a function that quotes a text as a JSON string, for the other scripts of this folder
# that make records.
function quoted(text) {
    gsub(/\\/, "\\\\\\\\", text)
    gsub(/"/, "\\\"", text)
    gsub(/\t/, "\\t", text)
    gsub(/\n/, "\\n", text)
    gsub(/[\001-\037]/, " ", text)
    return "\"" text "\""
}
