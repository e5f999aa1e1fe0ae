# Two hundred queries pasted from code, logs, mails and chats: none is an error, and the warnings
# are right. Queries without warnings are not printed.
printf '%s\n' '{"id":"1","title":"Ferry","text":"the ferry leaves at noon","author":{"name":"Ann"},"date":"2024-05-01"}' >a.jsonl
quiet bitsift index --id id a.jsonl
n=0
while IFS= read -r query; do
    n=$((n + 1))
    status=0
    bitsift query --count -- "$query" >/dev/null 2>"$SCRATCH/.stderr" || status=$?
    [ ! -s "$SCRATCH/.stderr" ] || printf '%s\n' "$query"
    sed 's/^bitsift: /    ! /' "$SCRATCH/.stderr"
    [ "$status" -le 1 ] || printf 'exit status %d\n' "$status"
done <<'QUERIES'
obj.method()
a[i]
foo->bar
C++
f(x, y)
std::vector<int>
std::map<std::string, std::vector<int>> index;
int main(int argc, char **argv)
int main(void) {
for (int i = 0; i < n; i++)
for (size_t at = 0; at < end;) {
while (*p++ = *q++)
if (a == NULL || b->next != NULL)
if (a && !b)
if(x&&y)
return (x > 0) ? x : -x;
#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
printf("hello %s\n", name);
fprintf(stderr, "error: %s\n", strerror(errno));
struct list_head *next, *prev;
static inline void list_add(struct list_head *new, struct list_head *head)
EXPORT_SYMBOL_GPL(ring_buffer_write);
kmalloc(sizeof(*dev), GFP_KERNEL)
container_of(ptr, struct device, kobj)
spin_lock_irqsave(&lock, flags);
def __init__(self, *args, **kwargs):
self.assertEqual(a, b)
[x for x in range(10) if x % 2]
print(f"{name!r}: {value:.2f}")
lambda x: x + 1
if __name__ == "__main__":
from os.path import join, exists
raise ValueError("bad input")
d = {'a': 1, "b": 2}
const x = async () => { await fetch(url); }
document.querySelector('#id > .class')
$('.button').on('click', function() {})
x?.y ?? z
let mut v: Vec<u8> = Vec::new();
fn main() -> Result<(), Box<dyn Error>> {
println!("{}", x);
match x { Some(v) => v, None => 0 }
impl<T> From<T> for Foo
public static void main(String[] args)
List<Map<String, Object>> rows = new ArrayList<>();
System.out.println("ok");
@Override public String toString()
func (s *Server) Serve(l net.Listener) error {
err := json.Unmarshal(data, &v)
SELECT * FROM users WHERE name = 'ann' AND age > 30;
SELECT count(*) FROM t GROUP BY a HAVING count(*) > 1
SELECT first || ' ' || last FROM people
INSERT INTO t (a, b) VALUES (1, 'x');
WHERE id IN (1, 2, 3) OR name IS NOT NULL
CASE WHEN a THEN b END
ls -l /usr/lib/
rm -rf node_modules
git commit -m "fix the build"
git log --oneline --graph
grep -rn "TODO" src/
find . -name '*.c' -exec wc -l {} \;
curl -X POST -H "Content-Type: application/json" https://api.example.com/v1/users
cat a.txt | sort | uniq -c
make && make install
cd build || exit 1
export PATH=$PATH:/opt/bin
echo $((1 + 2))
[[ -f "$x" ]] && rm "$x"
awk '{ print $1 }' file
sed -i 's/foo/bar/g' x.c
docker run -it --rm -p 8080:80 nginx
ssh -L 8080:localhost:80 user@host
pip install 'requests>=2.0'
tar xzf a.tar.gz -C /tmp
chmod 644 ~/.ssh/config
0x7fffffffe3d8
printf '%s\n' "$HOME"
<div class="row" id="x">
<a href="https://example.com/?q=1&p=2">here</a>
&nbsp;&copy; 2024
.row > .col:first-child { color: red !important; }
@media (max-width: 600px)
{"id": 7, "tags": ["a", "b"]}
{"error":{"code":404,"message":"not found"}}
key: value
- name: install
image: nginx:1.25
^[a-z]+\d*$
/lan.ern/
/^foo$/
\bword\b
(?i)hello|world
a{2,3}
2^10
x^2 + y^2 = z^2
e^(i*pi) + 1 = 0
(a+b)*(c-d)
f'(x) = 2x
[0, 1)
5 > 3
n! / (k! (n-k)!)
Traceback (most recent call last):
File "/usr/lib/python3/dist-packages/foo.py", line 12, in <module>
ValueError: invalid literal for int() with base 10: 'x'
KeyError: 'name'
java.lang.NullPointerException: Cannot invoke "String.length()" because "s" is null
at com.example.Foo.bar(Foo.java:42)
at Object.<anonymous> (/app/index.js:10:5)
Caused by: java.io.IOException: Connection reset by peer
panic: runtime error: index out of range [3] with length 3
goroutine 1 [running]:
thread 'main' panicked at 'called `Option::unwrap()` on a `None` value', src/main.rs:4:37
Segmentation fault (core dumped)
error: ‘foo’ undeclared (first use in this function)
main.c:12:5: warning: implicit declaration of function ‘foo’ [-Wimplicit-function-declaration]
/usr/bin/ld: cannot find -lfoo
make: *** [Makefile:10: all] Error 2
collect2: error: ld returned 1 exit status
undefined reference to `bs_open(char const*)'
fatal: not a git repository (or any of the parent directories): .git
npm ERR! code ERESOLVE
E: Unable to locate package foo
2024-05-01 12:00:00,123 - INFO - started
2024-05-01T12:00:00.123Z ERROR [main] c.e.App: failed to start
[2024-05-01 12:00:00] production.ERROR: SQLSTATE[HY000] [2002] Connection refused
May  1 12:00:00 host sshd[1234]: Failed password for root from 10.0.0.1 port 22 ssh2
[    0.000000] Linux version 6.1.0-18-amd64
BUG: kernel NULL pointer dereference, address: 0000000000000010
RIP: 0010:kfree+0x4f/0x120
 ? __die+0x1f/0x70
 <TASK> dump_stack_lvl+0x44/0x5c </TASK>
---[ end trace 0000000000000000 ]---
Oops: 0000 [#1] PREEMPT SMP PTI
EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: (null)
usb 1-1: new high-speed USB device number 2 using xhci_hcd
Out of memory: Killed process 1234 (java) total-vm:8388608kB
127.0.0.1 - - [01/May/2024:12:00:00 +0000] "GET /index.html HTTP/1.1" 200 1234 "-" "Mozilla/5.0 (X11; Linux x86_64)"
level=error msg="dial tcp: lookup foo: no such host" component=web
status=500 duration=12ms path=/api/users?id=7
WARN  o.a.k.c.NetworkClient - [Consumer clientId=c-1] Connection to node -1 could not be established
ORA-00942: table or view does not exist
HTTP 404: not found
CPU: 97% | MEM: 2.1G/4G
>>> import this
In [3]: df.head()
$ sudo apt-get install foo
C:\Users\Ann\file.txt
C:\> dir /s
~/.config/foo.toml
file:///etc/passwd
https://example.com/a/b?c=d&e=f#frag
http://localhost:8080/
localhost:8080
mailto:ann@example.com
ann@example.com
From: Ann Lee <ann@example.com>
To: dev@lists.example.com; Cc: bob@example.com
Subject: Re: [PATCH v2 1/3] mm: fix the leak
Date: Wed, 1 May 2024 12:00:00 +0200
Message-ID: <20240501120000.GA1234@example.com>
On Wed, May 1, 2024 at 12:00 PM Ann wrote:
> I think so, too.
Signed-off-by: Ann Lee <ann@example.com>
Dear Mr. O'Brien, (see attached)
Please call me at +49 (0)30 123456 or 555-0100.
the meeting is at 10:30, not at 11:00
P.S.: don't forget!
1) first 2) second 3) third
a) milk b) bread
- buy milk
* one * two
that's 50% off ($5.00)!
"quoted text without an end
5" floppy
he said "no" and left
what's up? :)
great :-(
<ann> hi there
[12:01] <bob> hello?
@ann can you look at #123?
ann: yes
!important
how does it work?
why is it so slow???
and/or
cats or dogs
this and that
to be or not to be
TODO(ann): remove
FIXME: see issue #42
What is the difference between i++ and ++i?
is it 3.14 or 22/7
R&D
-5°C
:+1: :tada:
titel:ferry
Author.Name:ann
ferry AND
(ferry OR
QUERIES
echo "$n queries"
