import type { Profile, PresenceState } from '../../../wire/people.ts'

type PresenceChoice = Pick<Profile, 'presence' | 'presence_until'>
type Status = Pick<Profile, 'status_emoji' | 'status_text' | 'status_expires_at'>

/** Whether a time (ISO 8601; null: never) is in the future. `now` in milliseconds. */
function isAhead(at: string | null, now: number): boolean {
  return at === null || Date.parse(at) > now
}

/** The chosen presence, unless it has expired. */
export function presenceChoice(profile: PresenceChoice, now: number): Profile['presence'] {
  return isAhead(profile.presence_until, now) ? profile.presence : 'auto'
}

/**
 * The displayed presence: "do not disturb" is displayed whether the person is online or not; "away" only hides that
 * they are active; otherwise heartbeats decide.
 */
export function presenceOf(
  profile: PresenceChoice | undefined,
  heartbeat: PresenceState,
  now: number,
): PresenceState {
  const choice = profile ? presenceChoice(profile, now) : 'auto'
  if (choice === 'dnd') return 'dnd'
  if (heartbeat === 'offline') return 'offline'
  if (choice === 'away') return 'away'
  // An older heartbeat may contain a choice that has expired since.
  return heartbeat === 'dnd' ? 'active' : heartbeat
}

/** Whether there is a status (text or emoji) that has not expired. */
export function hasStatus(profile: Status, now: number): boolean {
  return Boolean(profile.status_text || profile.status_emoji) && isAhead(profile.status_expires_at, now)
}

/** The nearest time (ms) after `now` at which a status or presence of these people expires; null if none does. */
export function nearestExpiry(profiles: Iterable<PresenceChoice & Status>, now: number): number | null {
  let nearest = Infinity
  for (const { presence_until, status_expires_at } of profiles) {
    for (const at of [presence_until, status_expires_at]) {
      const ends = at === null ? Infinity : Date.parse(at)
      if (ends > now && ends < nearest) nearest = ends
    }
  }
  return nearest === Infinity ? null : nearest
}
