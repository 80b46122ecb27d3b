import { existsSync } from 'node:fs'

/**
 * The beginning of a command line through which the kernel sends `signal` to the program when we are killed, so
 * that nothing of ours runs on alone. Empty where the system has no such tool (it is of util-linux): the next
 * start finds and ends what is left.
 */
export function dieWithUs(signal: 'INT' | 'KILL'): string[] {
  const tool = '/usr/bin/setpriv'
  return process.platform === 'linux' && existsSync(tool) ? [tool, '--pdeathsig', signal, '--'] : []
}
