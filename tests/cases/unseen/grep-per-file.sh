# case: find(1) starts a grep(1) for each file
# first: grep
# first: process|child|program|started
# useful: grep|child|process
# saves: time
set -eu
mkdir tree
for i in $(seq 1 250); do
	echo "line $i" > "tree/$i.txt"
done
if [ "${1-}" = corrected ]; then
	find tree -name '*.txt' -exec grep -l 'line 7' {} + > out || true
else
	find tree -name '*.txt' -exec grep -l 'line 7' {} \; > out
fi
