# The middle of three stages is slow, and the last one waits for data.
# told: sleep
# told: asleep in clock_nanosleep
# told: waited for that in wait4
seq 1 10 | while read -r line; do sleep 0.05; echo "$line"; done | wc -l
