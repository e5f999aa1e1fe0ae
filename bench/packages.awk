# packages.awk: Debian's Translation-en files (descriptions of packages) -> JSONL: id (the package),
# summary, description. The first description of a package is used, so that ids are unique. To be
# run with json.awk.
function flush_record() {
    if (package != "" && !(package in seen)) {
        seen[package] = 1
        printf "{\"id\":%s,\"summary\":%s,\"description\":%s}\n", quoted(package), quoted(summary), quoted(description)
    }
    package = summary = description = ""
    inside = 0
}
/^$/ { flush_record(); next }
/^Package: / { package = substr($0, 10); inside = 0; next }
/^Description-en: / { summary = substr($0, 17); inside = 1; next }
/^[^ ]/ { inside = 0; next }
inside {
    line = substr($0, 2)
    description = description (description == "" ? "" : "\n") (line == "." ? "" : line)
}
END { flush_record() }
