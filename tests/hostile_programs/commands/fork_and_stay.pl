# Tries: to leave a process behind.
# Success would be seen as: "ESCAPED".
# Expect: ran
use strict;
my $child = fork();
if (!defined $child) { print "held\n"; exit 0; }
print "ESCAPED\n";
sleep 600;
