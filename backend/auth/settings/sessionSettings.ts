import type { SettingsReader } from './createSettingsReader.ts'

/** How sessions are refreshed and when they expire. Times in ms; 0 means never. */
export interface SessionSettings {
  /** Whether reuse of a refresh token after the reuse interval ends the session. */
  rotation: boolean
  /** How long a used refresh token still returns the active one. */
  reuseInterval: number
  /** The maximum age of a session. */
  timebox: number
  /** The maximum time between refreshes. */
  inactivity: number
  /** How long a session may stay at aal1 if its user has a second factor. */
  allowLowAal: number
  /** Whether a newer sign-in ends the user's other sessions of the same tag. */
  singlePerUser: boolean
  /** Sessions with other tags, or none, count as having the first one. */
  tags: string[]
}

/**
 * Reads `[auth.sessions]` and the refresh token keys of `[auth]`. The official CLI only has keys for `timebox`
 * and `inactivity_timeout`; the others have the names of GoTrue's environment variables.
 */
export function readSessionSettings(read: SettingsReader): SessionSettings {
  const tags = read.at('auth.sessions.tags', [] as string[])
  if (tags.includes('')) throw read.errorAt('auth.sessions.tags', 'must be texts that are not empty')
  return {
    rotation: read.at('auth.enable_refresh_token_rotation', true),
    reuseInterval: read.integer('auth.refresh_token_reuse_interval', 10, 0, 86_400) * 1000,
    timebox: read.duration('auth.sessions.timebox', '0'),
    inactivity: read.duration('auth.sessions.inactivity_timeout', '0'),
    allowLowAal: read.duration('auth.sessions.allow_low_aal', '0'),
    singlePerUser: read.at('auth.sessions.single_per_user', false),
    tags,
  }
}
