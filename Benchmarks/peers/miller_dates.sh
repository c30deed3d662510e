#!/bin/sh
# Mixed dates to ISO, hex check and D-day with Miller: miller_dates.sh INPUT OUTPUT THREADS
# Miller's strptime wants two digits for a month, so the Korean spelling is taken apart by a pattern.
export GOMAXPROCS="$3"
exec mlr -S --icsv --ocsv \
    filter '$colour =~ "^#[0-9A-Fa-f]{6}$"' \
    then put '
        if ($date =~ "^([0-9]{4})년 ([0-9]{1,2})월 ([0-9]{1,2})일$") {
            $date = "\1-" . fmtnum(int("\2"), "%02d") . "-" . fmtnum(int("\3"), "%02d")
        } else {
            $date = gsub($date, "/", "-")
        }
        $d_day = (strptime($date, "%Y-%m-%d") - strptime("2025-01-01", "%Y-%m-%d")) // 86400
    ' "$1" >"$2"
