# Strings at any depth of a record are text, in fields named by their paths; numbers are text as
# spelled.
cat >c.jsonl <<'RECORDS'
{"id":"a","nested":{"msg":"cat","deeper":{"msg":"bird"}},"n":-1.50e3}
{"id":"b","list":["cat",["dog",{"msg":"fish"}],7],"flag":true,"none":null}
{"id":"c","nested.msg":"cat","n":[3.14,"3.14"]}
{"id":"d","text":"cat","nested":{"msg":{"cat":"none"},"\u006dsg":"c\u0061t \ud83d\ude00"}}
{"id":"e","flag":true,"none":null,"nested":{"msg":[false,{},[]]}}
{"id":"f","text":"cat","big":123456789012345678901234567890,"wide":1e999}
RECORDS
show bitsift index c.jsonl
ids() {
    show bitsift query --ids "$@"
    cmp -s <(bitsift query --ids "$@") <(bitsift query --ids --brute "$@") || echo "--brute has others"
}
ids cat
ids nested.msg:cat
ids list:cat
ids nested.deeper.msg:bird
ids nested:bird
ids list:dog
ids list.msg:fish
ids list:7
ids n:3.14
ids 1.50e3
ids '"50 e3"'
ids 123456789012345678901234567890
ids 1e999
ids '"cat dog"'
ids true
ids msg
ids list:7 OR nested.msg:😀
show bitsift query --json nested.msg:cat -n 1
echo '# chosen text fields'
show bitsift index -q --rebuild --text nested.msg,n c.jsonl
ids cat
ids bird OR fish OR dog OR 7
ids 3.14
echo '# an id in a nested field'
show bitsift index -q --rebuild --id nested.msg c.jsonl
ids bird OR fish OR 3.14
