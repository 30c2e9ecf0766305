# Tries: to limit, slow down or flood the process above it, so that no report of it is ever sent.
# Success would be seen as: ESCAPED in the value, or a run without a report.
# Expect: ran value
import os, resource, signal

def attack(targets):
    attempts = [lambda kind=kind: resource.prlimit(1, kind, (0, 0)) for kind in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE)]
    attempts += [lambda: os.sched_setaffinity(1, {0}), lambda: os.setpriority(os.PRIO_PROCESS, 1, 19)]
    attempts += [lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))]
    for attempt in attempts:
        try:
            attempt()
            return "ESCAPED: the supervisor was changed"
        except OSError:
            continue
    for number in signal.valid_signals():
        for _ in range(50):
            try:
                os.kill(1, number)
            except OSError:
                break
    return "contained"
