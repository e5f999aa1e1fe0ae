# bitsift grep --enclosing prints the first line of the function, or the heading, around a match.
cat >a.c <<'EOF'
#include <stdio.h>
lock_t lock;

int first(void)
{
	lock();
again:
	lock();
	return 0;
}

static int
second(int lock)
{
	other();
	more();
	lock();
}
EOF
cat >b.py <<'EOF'
import lock

class Door:
    def open(self):
        self.lock()
        return lock
    async def close(self): return lock
EOF
printf '# Doors\r\n\r\nThey lock.\r\n\r\n## Keys\r\n\r\nThey lock, too.\r\n' >c.md
printf 'let x = 1;\n  lock();\n$y = lock\n (lock)\n' >d.js
printf '   nothing before\n   lock\n' >e.txt

echo "# Lines"
show bitsift grep --enclosing lock
show bitsift grep --enclosing -n lock a.c
show bitsift grep --enclosing --no-enclosing -n lock e.txt
show bitsift grep --enclosing -n --heading lock a.c b.py
show bitsift grep --enclosing -n 'Keys|too' c.md
show bitsift grep --enclosing -n -o lock a.c
show bitsift grep --enclosing -n -b 'self.lock' b.py
show bitsift grep --enclosing --color=always -n 'return 0' a.c
show bitsift grep --enclosing -M12 'return 0' a.c
echo "# With context: printed once, at its own place if the context includes it"
show bitsift grep --enclosing -n -C1 'return|more' a.c
show bitsift grep --enclosing -n -B3 'lock\(\)' a.c
show bitsift grep --enclosing -n -A2 'first|lock\(\)' a.c
show bitsift grep --enclosing -n --passthru 'other' a.c
echo "# -v, -U, -m, counts"
show bitsift grep --enclosing -n -v '[a-z{}]' a.c
show bitsift grep --enclosing -n -U 'other\(\);\n\tmore' a.c
show bitsift grep --enclosing -n -m1 lock
listed bitsift grep --enclosing -c lock
show bitsift grep --enclosing -n lock - <a.c
echo "# JSON"
bitsift grep --enclosing --json -B1 'self.lock|nothing' b.py e.txt | grep -v '"type":"\(end\|summary\)"'
bitsift grep --json lock e.txt | grep -c enclosing || true

echo "# Far before the match: text is dropped piece by piece"
{
    printf 'int far(void)\n{\n'
    yes '	x += 1;' | head -n 400000
    printf '	lock();\n'
    yes '	x += 1;' | head -n 200000
    printf '}\nint farther(void)\n{\n'
    yes '	x += 1;' | head -n 200000
    printf '	lock();\n	lock();\n}\n'
} >far.c
show bitsift grep --enclosing -n lock far.c
bitsift grep --enclosing -n lock - <far.c | diff "$SCRATCH/.stdout" -
bitsift grep --enclosing -n lock . -g far.c | sed 's,^\./far\.c[=:],,' | diff "$SCRATCH/.stdout" -
rm far.c

echo "# Rules: the languages, by names of files; = begins lines that are printed, - others"
mkdir rules
while IFS='|' read -r sign name line; do
    n=$((${n:-100} + 1))
    mkdir "rules/$n"
    printf '%b\n  ;=mark:\n' "$line" >"rules/$n/$name"
    [ "$sign" = - ] || printf '%b\n' "rules/$n/$name=$line"
    echo "rules/$n/$name:  ;=mark:"
done <<'EOF' >expected
=|x.adb|  procedure Lock is
-|x.adb|  procedure Lock is new Door;
-|x.adb|  with function Lock;
=|x.adb|PACKAGE Body
=|x.sh|lock() {
=|x.sh|function lock {
=|x.sh|  lock ( ) [[ a ]]
=|x.sh|lock()
=|x.sh|function lock()
-|x.sh|lock a
=|x.bib|@article{key,
-|x.bib|author = x
=|x.c|int lock(void)
-|x.c|label:
-|x.c|case_a: /* c */
-|x.c|  lock();
=|x.cc|::ns::f()
=|x.h|public: int x
=|x.cs|  public int Lock(int a)
=|x.cs|  public List<Map<int, string>> Lock()
-|x.cs|  return Lock(a)
-|x.cs|  Lock(a);
=|x.cs|  public int Count
=|x.cs|  namespace Doors
=|x.cs|  public sealed class Door : Wood
=|x.css|a:hover {
=|x.css|@media print {
-|x.css|color: red;
-|x.css|a, b:
=|x.dts|&uart {
-|x.dts|a = b
=|x.ex|  defp lock(a) do
-|x.ex|  definitely not
=|x.f90|  subroutine lock(a)
-|x.f90|C subroutine lock(a)
=|x.f90|  integer function lock(a)
-|x.f90|  module procedure lock
=|x.fountain|INT. DOOR
=|x.go|func (d *Door) Lock() {
=|x.go|type Door struct {
-|x.go|type Door int
=|x.html|<h1>Doors</h1>
=|x.html|<H2 class="x">Doors
-|x.html|<p>Doors
=|x.ini|[door]
=|x.toml|[[door.key]]
=|x.java|  public class Door {
=|x.java|  public static int lock(int a) {
-|x.java|  return lock(a) {
-|x.java|  Door(int a) {
=|x.kt|  private fun lock() {
-|x.kt|  val x = 1
=|x.md|## Doors
-|x.md|#Doors
=|x.m|- (void) lock: (int) a
=|x.m|@interface Door
-|x.m|if (a) {
=|x.pas|procedure Lock;
=|x.pas|  Door = class(Wood)
=|x.pl|sub lock {
=|x.pl|sub lock($$) : lvalue { # here
-|x.pl|sub lock; # elsewhere
=|x.pl|package Door;
=|x.pl|=head1 DOOR
=|x.php|  public static function lock() {
=|x.php|abstract class Door
=|x.py|    async def lock(self):
=|x.py|class Door:
-|x.py|define = 1
=|x.R|lock <- function(a) {
-|x.r|lock <- 1
=|x.rb|  def lock
=|Rakefile|  module Door
-|x.rb|  lock
=|x.rs|  pub(crate) async fn lock() {
=|x.rs|  extern "C" fn lock() {
-|x.rs|  struct Door;
=|x.rs|impl<T> Door<T> {
=|x.scm|(define (lock a)
=|x.scm|  (define-syntax lock
-|x.scm|(lock a)
=|x.tex|\\subsection*{Doors}
-|x.tex|\\textbf{Doors}
=|x.js|function lock() {
=|x.js|$ = lock
-|x.js|  function lock() {
=|plain|_Door
EOF
bitsift grep --enclosing ';=mark' rules | diff expected -
