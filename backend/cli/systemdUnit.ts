import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from './Command.ts'

export const unitName = 'linnet.service'

/** The first words of the units that `linnet service install` writes. */
export const mark = '# Written by "linnet service install".'

/** The path of the unit of the system, or of the caller's own service manager (`systemctl --user`). */
export const unitFile = (isOfSystem: boolean): string =>
  isOfSystem
    ? join('/etc/systemd/system', unitName)
    : join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'systemd/user', unitName)

/**
 * Throws UsageError if systemd does not manage this machine.
 * @param hint a further sentence
 */
export function requireSystemd(hint = ''): void {
  if (!existsSync('/run/systemd/system')) throw new UsageError(`systemd does not run on this machine.${hint}`)
}

/** Runs `systemctl`, which prints its own errors. Throws UsageError if it fails. */
export function runSystemctl(isOfSystem: boolean, words: readonly string[]): void {
  const all = [...(isOfSystem ? [] : ['--user']), ...words]
  const { status } = spawnSync('systemctl', all, { stdio: 'inherit' })
  if (status === 0) return
  const log = `journalctl ${isOfSystem ? '' : '--user '}-u linnet`
  throw new UsageError(`"systemctl ${all.join(' ')}" failed. The log of the service: ${log}`)
}
