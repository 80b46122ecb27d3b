import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configuredSize, freeSpaceReserve } from '../config/configuredSize.ts'
import type { Config } from '../config/loadConfig.ts'
import { defaultRetention, type Retention } from './retention/selectBackups.ts'

/** `[backup]` of the configuration. */
export interface BackupSettings {
  /** Whether the server backs up daily and archives the log. */
  isEnabled: boolean
  /** The configured folder; null: the default, see `defaultRepository`. */
  to: string | null
  /** Local time of the daily backup, in minutes since midnight. */
  atMinute: number
  retention: Retention
  /** Whether the server archives the log, so that a restore can choose a point in time. */
  pointInTime: boolean
  /** Log that may wait to be archived. */
  maxWalBytes: number
  /** A shell command that runs after each successful backup; null: none. */
  command: string | null
  publicKey: string | null
  passphrase: string | null
  /** Free space that backups leave on their disk. */
  reserveBytes: number
}

/** PostgreSQL keeps at most this much of the log for a slot (max_slot_wal_keep_size). */
const maxSlotBytes = 1024 ** 3

/** Reads `[backup]`. Throws ConfigError. */
export function readBackupSettings(config: Config, dataDir: string): BackupSettings {
  const count = (name: string, fallback: number): number => {
    const value = config.at(`backup.${name}`, fallback)
    if (!Number.isInteger(value) || value < 0 || value > 1000)
      throw config.errorAt(`backup.${name}`, `must be a whole number from 0 to 1000, not ${value}.`)
    return value
  }
  const text = (name: string): string | null => config.at(`backup.${name}`, '') || null
  const to = text('to')
  return {
    isEnabled: config.at('backup.enabled', true),
    to: to === null ? null : config.resolveFile('backup.to', to, dataDir),
    atMinute: readTime(config),
    retention: {
      days: count('keep_days', defaultRetention.days),
      weeks: count('keep_weeks', defaultRetention.weeks),
      months: count('keep_months', defaultRetention.months),
    },
    pointInTime: config.at('backup.point_in_time', true),
    maxWalBytes: Math.min(maxSlotBytes, configuredSize(config, 'backup.max_wal_size', '1GiB')),
    command: text('command'),
    publicKey: text('public_key'),
    passphrase: text('passphrase'),
    reserveBytes: configuredSize(config, ...freeSpaceReserve),
  }
}

function readTime(config: Config): number {
  const text = config.at('backup.at', '03:00')
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text)
  if (!match) throw config.errorAt('backup.at', `must be a time of day such as "03:00", not "${text}".`)
  return Number(match[1]) * 60 + Number(match[2])
}

/** Parses the option `--keep`, such as "7d,4w,6m". Periods that it omits are not kept. Null where it is invalid. */
export function parseRetention(text: string): Retention | null {
  const retention: Retention = { days: 0, weeks: 0, months: 0 }
  const names = { d: 'days', w: 'weeks', m: 'months' } as const
  for (const part of text.split(',')) {
    const match = /^(\d{1,3})([dwm])$/.exec(part.trim())
    if (!match) return null
    retention[names[match[2] as keyof typeof names]] = Number(match[1])
  }
  return retention
}

/**
 * The folder of the backups where none is configured: `backups/<installation>` beside the data folder, or
 * `backups/repository` in it where the folder beside it can't be created.
 */
export function defaultRepository(dataDir: string, installation: string): string {
  const beside = join(dirname(dataDir), 'backups')
  const repository = join(beside, installation)
  try {
    if (!existsSync(beside)) {
      mkdirSync(beside, { mode: 0o700 })
      // The data folder of a checkout has one too.
      writeFileSync(join(beside, '.gitignore'), '*\n')
    }
    accessSync(existsSync(repository) ? repository : beside, constants.W_OK)
    return repository
  } catch {
    return join(dataDir, 'backups', 'repository')
  }
}
