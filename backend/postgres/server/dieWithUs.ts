import { spawnSync } from 'node:child_process'

const tool = '/usr/bin/setpriv'
let works: boolean | undefined

/**
 * The beginning of a command line through which the kernel sends `signal` to the program when we are killed, so
 * that nothing of ours runs on alone. Empty where the system has no such tool (util-linux has it; asked once):
 * there the next start finds and ends what is left.
 */
export function dieWithUs(signal: 'INT' | 'KILL'): string[] {
  works ??=
    process.platform === 'linux' && spawnSync(tool, ['--pdeathsig', signal, '--', 'true']).status === 0
  return works ? [tool, '--pdeathsig', signal, '--'] : []
}
