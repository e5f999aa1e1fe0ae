# --split-identifiers: queries find identifiers and their parts.
mkdir d
cat >d/a.c <<'EOF'
static int HTTPServer2_start(struct tcp_socket *sock);
int parseURL(const char *url_text); /* see parse_url, and O'Brien v2.0beta */
EOF
cat >d/b.c <<'EOF'
http server, and a start of http
EOF
cat >d/c.c <<'EOF'
foo HTTPServer2 bar
EOF
settle
quiet bitsift index --split-identifiers d
for query in server http 2 start 'HTTPServer2_start' httpserver2 '"http server"' '"HTTPServer2 server"' '"foo HTTPServer2"' '"HTTPServer2 bar"' \
    '"2 bar"' '"foo http"' url '"parse url"' parseURL tcp_socket '"struct tcp socket sock"' 'sock*' 'serv*' 'tcp_*' "o'brien" brien beta 2.0 \
    '"start int"' 'server -start' '"server http"~3'; do
    every "$query"
    bitsift query "$query" | diff - <(bitsift query --brute "$query")
done
show bitsift query --json -n 1 server
show bitsift query --color always -n 1 'server OR httpserver2'
mkdir d/HttpServer
echo 'nothing else' >d/HttpServer/mainLoop.txt
quiet bitsift index
finds 'name:"server main loop"'
finds 'name:HttpServer'
rm -r d/HttpServer
quiet bitsift index
show bitsift query -n 1 'server OR httpserver2'
bitsift check | neutral -

echo '# the option is recorded and reported'
quiet bitsift index
quiet bitsift index --split-identifiers
finds url
bitsift stats -v | grep -o 'split-identifiers'
bitsift stats --json | grep -o '"split-identifiers":[a-z]*'
od -A n -t x1 -j 36 -N 4 .bitsift/manifest
show bitsift index --split-identifiers --fold-accents
quiet bitsift index --rebuild --words --grams d
finds url
show bitsift index --split-identifiers
quiet bitsift index --rebuild --split-identifiers --stem english d
finds 'starting servers'
finds --brute 'starting servers'

echo '# with word pairs, and after a change of a file'
for i in $(seq 400); do
    printf 'of the userName%d in the data_base of the HTTPServer in the same of the thing\n' "$i" >"d/p$i.txt"
done
quiet bitsift index --rebuild --split-identifiers d
for query in '"of the user"' '"of the username7"' '"name 7 in the data base of the"' '"in the data_base"' '"the http server in the same"' '"base of the"'; do
    finds --count "$query"
    bitsift query --count --brute "$query" | diff "$SCRATCH/.stdout" -
done
echo 'anotherThing' >d/c.c
finds --fresh thing -g c.c
