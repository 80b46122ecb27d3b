import type { PresenceState, Profile } from '../../../wire/linnet.ts'

type PresenceChoice = Pick<Profile, 'presence' | 'presence_until'>
type Status = Pick<Profile, 'status_emoji' | 'status_text' | 'status_expires_at'>

/** Whether a moment (ISO 8601, null: never) is still to come. `now` in milliseconds. */
function isAhead(at: string | null, now: number): boolean {
  return at === null || Date.parse(at) > now
}

/** The presence that is chosen now: an expired choice counts as none. */
export function presenceChoice(profile: PresenceChoice, now: number): Profile['presence'] {
  return isAhead(profile.presence_until, now) ? profile.presence : 'auto'
}

/**
 * What a person's dot shows: "do not disturb" stands whether they are here or not, since it was requested;
 * "away" only hides that someone is here; else it is what their heartbeats tell.
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
  // An older heartbeat may tell of a choice that has ended since.
  return heartbeat === 'dnd' ? 'active' : heartbeat
}

/** Whether there is a status to show: words or an emoji, and its time not over. */
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
