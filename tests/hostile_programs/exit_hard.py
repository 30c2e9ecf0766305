# Tries: to end the process with success before anything is compared.
# Success would be seen as: a run that counts as ran.
# Expect: killed killed
import os

def attack(targets):
    os._exit(0)
