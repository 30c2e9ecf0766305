# Tries: to read and list the machine's files with nothing but the shell.
# Success would be seen as: "ESCAPED".
# Expect: ran
for file in /etc/passwd /proc/1/environ /proc/self/environ /root/.profile; do
    if read -r line < "$file"; then echo "ESCAPED $line"; fi
done
for entry in /etc/* /home/* /root/* /proc/*; do
    case "$entry" in
        *'*') ;;
        *) echo "ESCAPED $entry" ;;
    esac
done
(exec /bin/sh -c 'echo ESCAPED')
echo end
