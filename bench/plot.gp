# plot.gp (folder, corpus): size against mean time, and the classes of queries as bars; SVG on standard output. What it
# draws is made by plot.awk.
set terminal svg size 1000,900 enhanced font "sans,13" background "white"
set datafile separator "\t"
set multiplot
set grid ytics back lc rgb "#dddddd"
set border 3
set tics nomirror

set title corpus.": index size against mean time of a conjunction" noenhanced
set origin 0, 0.5
set size 1, 0.5
set logscale xy
set xlabel "index of the words, MB"
set ylabel "microseconds, mean"
set offsets graph 0.08, graph 0.2, graph 0.08, graph 0.08
set key off
is_ours(name) = strstrt(name, "bitsift") || strstrt(name, "candidates") ? 0xc03030 : 0x3060a0
plot folder."/points" using 2:3:(is_ours(stringcolumn(1))) with points pt 7 ps 1 lc rgb variable, \
     "" using 2:3:1 with labels left offset 1,0.3 noenhanced

unset logscale x
unset offsets
set title corpus.": mean time by class of queries" noenhanced
set origin 0, 0
set size 1, 0.5
set xlabel
set key outside top horizontal noenhanced
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set xtics rotate by -30 noenhanced scale 0
array colours[6] = ["#e08080", "#c03030", "#808080", "#3060a0", "#60a060", "#c0a040"]
stats folder."/bars" using 0 skip 1 nooutput
columns = int(system("head -n 1 '".folder."/bars' | awk -F '\t' '{ print NF }'"))
set yrange [0.01:*]
plot for [i = 2:columns] folder."/bars" using i:xtic(1) title columnheader(i) lc rgb colours[i - 1]
unset multiplot
