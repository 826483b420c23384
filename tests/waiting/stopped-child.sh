# A job is stopped, and somebody lets the job go on late.
# told: stopped by a signal
# told: waited for that in wait4
bash -c 'kill -STOP $$; :' &
job=$!
( sleep 0.6; kill -CONT $job; sleep 0.1 ) &
wait $job
