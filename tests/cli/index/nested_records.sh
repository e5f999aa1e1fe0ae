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
every cat
every nested.msg:cat
every list:cat
every nested.deeper.msg:bird
every nested:bird
every list:dog
every list.msg:fish
every list:7
every n:3.14
every 1.50e3
every '"50 e3"'
every 123456789012345678901234567890
every 1e999
every '"cat dog"'
every true
every msg
every list:7 OR nested.msg:😀
show bitsift query --json nested.msg:cat -n 1
echo '# chosen text fields'
show bitsift index -q --rebuild --text nested.msg,n c.jsonl
every cat
every bird OR fish OR dog OR 7
every 3.14
echo '# an id in a nested field'
show bitsift index -q --rebuild --id nested.msg c.jsonl
every bird OR fish OR 3.14
