# case: a shell loop reads lines from a pipe, and the shell has to read them byte by byte
# first: byte
# first: pipe
# useful: byte|pipe
# saves: calls
set -eu
if [ "${1-}" = corrected ]; then
	seq 100000 100800 | awk '{ sum += $1 } END { print sum }'
else
	seq 100000 100800 | { sum=0; while read -r n; do sum=$((sum + n)); done; echo $sum; }
fi
