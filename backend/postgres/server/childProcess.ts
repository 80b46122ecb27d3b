import { spawnSync } from 'node:child_process'

const setpriv = '/usr/bin/setpriv'
let isSupported: boolean | undefined

/**
 * The start of a command line that has the kernel send `signal` to the program when this process is killed, so that
 * no child is orphaned. Empty where the system lacks setpriv (part of util-linux; checked once): there the next start
 * ends orphaned processes.
 */
export function parentDeathCommand(signal: 'INT' | 'KILL'): string[] {
  isSupported ??=
    process.platform === 'linux' && spawnSync(setpriv, ['--pdeathsig', signal, '--', 'true']).status === 0
  return isSupported ? [setpriv, '--pdeathsig', signal, '--'] : []
}

/** The environment of PostgreSQL, without variables that change its behaviour (LC_ALL, PGDATA, TZ …). */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: 'C', TZ: 'UTC' }
}
