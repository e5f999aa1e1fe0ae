# plot.gp (variables: folder, corpus): draws two plots, as SVG on standard output: index size
# against mean time, and the mean times of each class of queries as bars. plot.awk writes the input.
set terminal svg size 1000,900 font "sans,13" background "white"
set datafile separator "\t"
set multiplot
set grid ytics back lc rgb "#dddddd"
set border 3
set tics nomirror

set title corpus.": index of the words against mean time of a conjunction" noenhanced
set origin 0, 0.54
set size 1, 0.46
set logscale xy
set xlabel "MB"
set ylabel "microseconds, mean"
set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05
set key outside right noenhanced
n_points = int(system("wc -l <'".folder."/points'"))
name(i) = system("sed -n ".i."p '".folder."/points' | cut -f 1")
colour(i) = name(i) eq "candidates" ? "#e08080" : name(i) eq "candidates-d50" ? "#e0b0b0" : \
            name(i) eq "bitsift" ? "#c03030" : name(i) eq "bitsift-d50" ? "#802020" : \
            name(i) eq "croaring" ? "#808080" : name(i)[1:6] eq "lucene" ? "#3060a0" : \
            name(i)[1:4] eq "fts5" ? "#60a060" : "#c0a040"
shape(i) = strstrt(name(i), "-docs") || strstrt(name(i), "-none") ? 6 : strstrt(name(i), "-column") ? 8 : 7
plot for [i = 1:n_points] folder."/points" using 2:3 every ::(i - 1)::(i - 1) with points pt shape(i) ps 1.2 lw 2 \
     lc rgb colour(i) title name(i)

unset logscale x
unset offsets
set title corpus.": mean time by class of queries" noenhanced
set origin 0, 0
set size 1, 0.54
set bmargin 9
unset xlabel
set key outside top horizontal noenhanced
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set xtics rotate by 35 right noenhanced scale 0 font "sans,11"
columns = int(system("head -n 1 '".folder."/bars' | awk -F '\t' '{ print NF }'"))
bar(i) = system("head -n 1 '".folder."/bars' | cut -f ".i)
bar_colour(i) = bar(i) eq "candidates" ? "#e08080" : bar(i) eq "bitsift" ? "#c03030" : bar(i) eq "croaring" ? "#808080" : \
                bar(i) eq "lucene" ? "#3060a0" : bar(i) eq "fts5-full" ? "#60a060" : "#c0a040"
set yrange [0.01:*]
plot for [i = 2:columns] folder."/bars" using i:xtic(1) skip 1 title bar(i) lc rgb bar_colour(i)
unset multiplot
