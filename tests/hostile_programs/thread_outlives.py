# Tries: to leave a thread that writes after the result is in.
# Success would be seen as: output or frames after the end; a run that does not end.
# Expect: ran value
import threading, time

def attack(targets):
    def late():
        time.sleep(0.2)
        while True:
            print("ESCAPED")
    threading.Thread(target=late).start()
    return "contained"
