# A picture of what `logging.memory_csv` or `cuzk memmon` wrote:
#
#     gnuplot -e "csv='memory.csv'" memory.gnuplot >memory.svg
#
# Resident memory, its peak and the budget in use over time; where FILE.jobs is beside it, each job as a bar from
# its begin to its end (to the last sample, if it goes on).
if (!exists("csv")) { print "gnuplot -e \"csv='FILE'\" memory.gnuplot >FILE.svg"; exit }
set terminal svg size 1000,480 background "white" font "sans,13"
set datafile separator comma
set key outside below horizontal
set grid y lc rgb "#dddddd"
set border 3
set tics nomirror
stats csv using 1 every ::1 nooutput name "T"
stats csv using ($3 > $6 ? $3 : $6) every ::1 nooutput name "KB"
begin = T_min
top = (KB_max > 0 ? KB_max : 1) / 1024.0
s = 10 ** floor(log10(top / 4))
set ytics 0, s * int(top / 4 / s) # none below zero, where the jobs are
set xlabel "seconds"
set ylabel "MiB"
set xrange [0 : (T_max - begin) / 1000.0 + 0.001]

# Bars below the curves, in eight lanes by turns. A job is one word in quotes.
n_jobs = 0
if (system("test -f '" . csv . ".jobs' && echo yes") eq "yes") {
    bars = system("awk -F, -v last=" . sprintf("%.0f", T_max) . " 'NR > 1 && $2 == \"begin\" {at[$3] = $1; lane[$3] = n++ % 8} NR > 1 && $2 == \"end\" && ($3 in at) {print at[$3], $1, lane[$3]; delete at[$3]} END {for (j in at) print at[j], last, lane[j]}' '" . csv . ".jobs'")
    n_jobs = words(bars) / 3
    do for [i = 1 : n_jobs] {
        x0 = (word(bars, 3 * i - 2) - begin) / 1000.0
        x1 = (word(bars, 3 * i - 1) - begin) / 1000.0
        y = -top * (0.03 + 0.025 * word(bars, 3 * i))
        set object i rectangle from x0, y to x1, y - top * 0.018 fc rgb "#8fb8de" fs solid noborder
    }
}
set yrange [(n_jobs > 0 ? -0.25 * top : 0) : 1.05 * top]
plot csv using (($1 - begin) / 1000.0):($2 / 1024.0) every ::1 with lines lw 2 lc rgb "#1f5fa8" title "resident", \
     csv using (($1 - begin) / 1000.0):($3 / 1024.0) every ::1 with lines lw 1 dt 2 lc rgb "#1f5fa8" title "peak", \
     csv using (($1 - begin) / 1000.0):($6 / 1024.0) every ::1 with lines lw 2 lc rgb "#d95f02" title "budget in use", \
     NaN with lines lw 8 lc rgb "#8fb8de" title (n_jobs > 0 ? "jobs" : "")
