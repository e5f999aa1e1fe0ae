# bloom.awk -v title=T -v across=LABEL: draws the points of the input, lines "SERIES <tab> x <tab>
# y", as text, with a logarithmic y axis, which has no place for points with y = 0. LABEL is the
# label of the x axis. A point is drawn as the first letter of its series; a legend lists the series
# whose names have more than one letter. Where points coincide, the last one is shown. The picture is
# narrow enough for an example on a manual page.
BEGIN { FS = "\t"; columns = 56; rows = 16 }
$3 > 0 {
    n++; name[n] = $1; x[n] = $2; y[n] = log($3) / log(10)
    if (n == 1 || x[n] < x_low) x_low = x[n]
    if (n == 1 || x[n] > x_high) x_high = x[n]
    if (n == 1 || y[n] < y_low) y_low = y[n]
    if (n == 1 || y[n] > y_high) y_high = y[n]
    if (length($1) > 1 && !($1 in known)) { known[$1] = 1; legend = legend (legend ? "   " : "") substr($1, 1, 1) " " $1 }
}
function floor(value, whole) { whole = int(value); return whole > value ? whole - 1 : whole }
END {
    print title
    y_low = floor(y_low); y_high = -floor(-y_high)
    for (i = 1; i <= n; i++) {
        column = int((x[i] - x_low) / (x_high - x_low) * (columns - 1) + 0.5)
        row = int((y_high - y[i]) / (y_high - y_low) * (rows - 1) + 0.5)
        cell[row, column] = substr(name[i], 1, 1)
    }
    for (row = 0; row < rows; row++) {
        # Label the row that is nearest to a power of ten.
        label = ""
        for (power = y_low; power <= y_high; power++)
            if (int((y_high - power) / (y_high - y_low) * (rows - 1) + 0.5) == row) label = sprintf("%g", 10 ^ power)
        line = sprintf("%9s |", label)
        for (column = 0; column < columns; column++) line = line ((row, column) in cell ? cell[row, column] : " ")
        sub(/ +$/, "", line)
        print line
    }
    line = "          +"
    for (column = 0; column < columns; column++) line = line "-"
    print line
    printf "           %-*g%*g\n", columns / 2, x_low, columns / 2, x_high
    print "           " across
    if (legend) print "           " legend
}
