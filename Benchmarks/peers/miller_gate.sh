#!/bin/sh
# Quality gate with Miller: miller_gate.sh INPUT OUTPUT THREADS
# Every id is kept in a map, which takes most of the memory.
export GOMAXPROCS="$3"
exec mlr --icsv --ocsv put -q '
    begin {
        @ids = {};
        @emotions = {"행복해":1, "사랑해":1, "좋아해":1, "당황해":1, "속상해":1, "우울해":1, "심심해":1, "따분해":1, "심란해":1}
    }
    rule = "";
    value = "";
    if (is_empty($emotion)) { rule = "emotion-missing" }
    elif (!haskey(@emotions, $emotion)) { rule = "emotion-unknown"; value = $emotion }
    elif ($colour !=~ "^#[0-9A-Fa-f]{6}$") { rule = "no-colour"; value = $colour }
    elif ($count < 1 || $count > 12) { rule = "count-out-of-range"; value = $count }
    elif (haskey(@ids, $id)) { rule = "id-repeated"; value = $id }
    @ids[$id] = 1;
    if (rule != "") { emit1 {"line": NR + 1, "rule": rule, "value": value} }
' "$1" >"$2"
