#!/bin/sh
# Monthly emotion statistics with Miller: miller_monthly.sh INPUT OUTPUT THREADS
# Summing by day first keeps the substring out of all but a few rows.
export GOMAXPROCS="$3"
IFS= # so that $1 can be a pattern, and nothing but a pattern
exec mlr --icsv --ocsv \
    stats1 -a sum -f count -g date,emotion \
    then put '$month = substr($date, 0, 6)' \
    then stats1 -a sum -f count_sum -g month,emotion \
    then rename count_sum_sum,count $1 >"$2"
