# A later record with the same id in the same source replaces the earlier one; the same id in two
# sources is two documents.
printf '%s\n' '{"id":"a","text":"cat one"}' '{"id":"b","text":"cat two"}' '{"id":"a","text":"cat three"}' >x.jsonl
printf '%s\n' '{"id":"a","text":"cat four"}' >y.jsonl
show bitsift index x.jsonl y.jsonl
show bitsift query cat
finds --count one
finds --count --brute one
finds three OR four
finds --count -- -cat
show bitsift index -
printf '%s\n' '{"id":"a","text":"cat five"}' | show bitsift index -
printf '%s\n' '{"id":"a","text":"cat six"}' | show bitsift index -
show bitsift query five
show bitsift query six
finds cat
