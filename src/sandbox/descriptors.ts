/** What a command finds open: its own input and output, and nothing that this process was given by others, such as a runner's log. */
import { FILTER_DESCRIPTOR, FIRST_PROCESS_DESCRIPTOR } from '../confinement/bubblewrap.ts';
import { LIMIT_OPEN_FILES } from '../confinement/limits.ts';

const CLOSE_OTHERS = `${LIMIT_OPEN_FILES}; keep=" $1 "; close=; open=$(cd /proc/self/fd && echo *) || exit 126; for one in $open; do [[ $keep == *" $one "* ]] || close="$close $one>&-"; done; eval "exec$close"; shift; exec "$@"`;

/**
 * The command line in front of bubblewrap that closes what is above the `last` descriptor; what bubblewrap reads and writes itself, it closes.
 * In front, because only there /proc always tells what is open; where it does not, no command begins. Bash would read its start file where its input is a socket, as Node's pipes are.
 */
export function closed(shell: string, last: number): readonly string[] {
  const kept = [...Array(last + 1).keys(), FILTER_DESCRIPTOR, FIRST_PROCESS_DESCRIPTOR].join(' ');
  return [shell, '--norc', '-c', CLOSE_OTHERS, 'bash', kept];
}
