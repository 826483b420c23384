# A script looks twice a second whether another one's lock file is gone.
# told: sleep
# told: asleep in clock_nanosleep
# told: waited for that in wait4
( sleep 0.1; rm lock ) &
touch lock
while ! ( set -C; : > lock ) 2> /dev/null; do
    sleep 0.5
done
wait
