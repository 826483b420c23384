# case: a script waits for a process with kill -0 and a short sleep
# first: sleep|kill
# first: wait|poll|again|process|ended
# useful: sleep|kill
# saves: calls
set -u
sleep 1.5 &
pid=$!
if [ "${1-}" = corrected ]; then
	wait $pid
else
	while kill -0 $pid 2>/dev/null; do
		sleep 0.005
	done
fi
