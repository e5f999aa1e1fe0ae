# passages.awk: Debian's Translation-en files (descriptions of packages) -> JSONL, one record per
# passage of a description: some sentences or list items, together 40 bytes or more. The title of a
# record has one of eight forms, which are full of common words. So nearly all of these short
# records have the words that most phrases begin with, in various orders. The id is the package and
# a number. Repeated packages are ignored, so that ids are unique. To be run with json.awk.
BEGIN {
    n_forms = split("What % is, and what it is for in the words of its maker;" \
        "The use of % to you, and how it is to be had;" \
        "On the parts of %, and for what each is there;" \
        "How % is used with all that it comes with, and by whom;" \
        "Of % and the like: a note for those to whom it is new;" \
        "Is % for you? It is in the list of what you can have;" \
        "From the list of all that there is to be had with %, and on its own;" \
        "In this part, to be read by you: what to do with % and the rest of it", forms, ";")
}
function title(number, form) {
    form = forms[number % n_forms + 1]
    return substr(form, 1, index(form, "%") - 1) package substr(form, index(form, "%") + 1) ": " summary
}
function flush_passage() {
    if (passage != "")
        printf "{\"id\":%s,\"title\":%s,\"text\":%s}\n", quoted(package ":" ++n_passages),
            quoted(title(n_passages + length(summary))), quoted(passage)
    passage = ""
}
function flush_package() {
    if (package != "")
        flush_passage()
    package = summary = ""
    is_inside = n_passages = 0
}
function is_ended() { return length(passage) >= 40 }
/^$/ { flush_package(); next }
/^Package: / {
    package = substr($0, 10)
    if (package in seen)
        package = ""
    else
        seen[package] = 1
    next
}
/^Description-en: / { summary = substr($0, 17); is_inside = package != ""; next }
/^[^ ]/ { is_inside = 0; next }
is_inside {
    line = substr($0, 2)
    if (line == "." || line ~ /^ *[*+-] /) {
        if (is_ended())
            flush_passage()
        if (line == ".")
            next
    }
    sub(/^ +/, "", line)
    while ((at = match(line, /[.:;] /)) > 0) {
        passage = passage (passage == "" ? "" : " ") substr(line, 1, at)
        line = substr(line, at + 2)
        if (is_ended())
            flush_passage()
    }
    passage = passage (passage == "" ? "" : " ") line
    if (line ~ /[.:;]$/ && is_ended())
        flush_passage()
}
END { flush_package() }
