import { ConfigError } from '../../config/loadConfig.ts'
import type { SettingsReader } from './createSettingsReader.ts'

/** How sessions are renewed and when they end. Times in ms; 0 means never. */
export interface SessionSettings {
  /** Whether a refresh token that comes back too late ends all of its session. */
  rotation: boolean
  /** How long a token that was spent is answered with the active one. */
  reuseInterval: number
  /** From sign-in to the end, whatever happens in between. */
  timebox: number
  /** From the last refresh to the end. */
  inactivity: number
  /** How long one may go on without showing the second factor that one has. */
  allowLowAal: number
  /** Whether a newer sign-in ends the others, among those of one tag. */
  singlePerUser: boolean
  /** Sessions of other tags, or none, count as of the first one. */
  tags: string[]
}

/**
 * Reads `[auth.sessions]` and what `[auth]` says of refresh tokens. The official CLI has keys for `timebox` and
 * `inactivity_timeout` alone; the others are the service's own, by the names of its environment.
 */
export function readSessionSettings(read: SettingsReader): SessionSettings {
  const tags = read.at('auth.sessions.tags', [] as string[])
  if (tags.includes('')) throw new ConfigError('auth.sessions.tags must be texts that are not empty')
  return {
    rotation: read.at('auth.enable_refresh_token_rotation', true),
    reuseInterval: read.within('auth.refresh_token_reuse_interval', 10, 0, 86_400) * 1000,
    timebox: read.time('auth.sessions.timebox', '0'),
    inactivity: read.time('auth.sessions.inactivity_timeout', '0'),
    allowLowAal: read.time('auth.sessions.allow_low_aal', '0'),
    singlePerUser: read.at('auth.sessions.single_per_user', false),
    tags,
  }
}
