# usage: awk -f numbered.awk PRINTED LOG
# PRINTED is what tests/programs/functions.c printed. Each of its calls must be in LOG once, with its result. With -v from=1, tracing began later,
# with the threads of one process: those two ways are looked at, from their first call in LOG on.
FNR == NR { made[$1] = $2; next }
match($0, /openat\((AT_FDCWD|-7), "\/[a-z]+\/[0-9]+"/) {
	split(substr($0, RSTART, RLENGTH), part, "/")
	way = part[2]
	number = part[3] + 0
	if (from && !(way in next_number)) { next_number[way] = number }
	if (number != next_number[way] + 0) wrong("/" way "/" number " in place of " next_number[way] + 0)
	next_number[way] = number + 1
	if (!/ = -1 E/ && !/unfinished/) wrong("no result")
}
/resumed/ && !/ = -?[0-9]/ { wrong("no result") }
function wrong(what) { print "line " FNR ": " what ": " $0; faults++ }
END {
	for (way in made) {
		if (from && !(way in next_number)) continue
		ways++
		if (!made[way] || made[way] != next_number[way]) { print way ": made " made[way] ", shown " next_number[way] + 0; faults++ }
	}
	if (ways != (from ? 2 : 6)) { print ways + 0 " ways"; faults++ }
	exit faults > 0
}
