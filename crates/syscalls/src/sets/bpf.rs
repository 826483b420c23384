//! bpf(2), perf_event_open(2), seccomp(2).
