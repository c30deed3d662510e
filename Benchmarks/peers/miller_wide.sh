#!/bin/sh
# Three columns of two hundred with Miller: miller_wide.sh INPUT OUTPUT THREADS
export GOMAXPROCS="$3"
exec mlr --icsv --ocsv stats1 -a sum -f count -g date,emotion then rename count_sum,count "$1" >"$2"
