#!/bin/sh
# JSON Lines to CSV with Miller: miller_ndjson.sh INPUT OUTPUT THREADS
# Miller would write a JSON null as the word "null"; the others write an empty cell.
export GOMAXPROCS="$3"
exec mlr --ijsonl --ocsv put 'is_null($note) {$note = ""}' "$1" >"$2"
