import { spawnSync } from 'node:child_process'

const setpriv = '/usr/bin/setpriv'
let isSupported: boolean | undefined

/**
 * The beginning of a command line through which the kernel sends `signal` to the program when we are killed, so
 * that nothing of ours runs on alone. Empty where the system has no such tool (util-linux has it; asked once):
 * there the next start finds and ends what is left.
 */
export function parentDeathCommand(signal: 'INT' | 'KILL'): string[] {
  isSupported ??=
    process.platform === 'linux' && spawnSync(setpriv, ['--pdeathsig', signal, '--', 'true']).status === 0
  return isSupported ? [setpriv, '--pdeathsig', signal, '--'] : []
}

/** What PostgreSQL sees of our environment: nothing that changes what it does (LC_ALL, PGDATA, TZ …). */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: 'C', TZ: 'UTC' }
}
