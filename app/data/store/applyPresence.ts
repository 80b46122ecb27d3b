import type { PresenceState } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Heartbeat } from '../../../wire/sync.ts'
import type { RequestSnapshot } from './requestSnapshot.ts'
import type { State } from './state.ts'

const CHANGE = /(\d+)([awo])/g
const STATES: Readonly<Record<string, PresenceState>> = { a: 'active', w: 'away', o: 'offline' }

/**
 * Who is present after a heartbeat, and the cursor for the next one. The cursor is undefined if the response has a
 * member who is not loaded: the next heartbeat then returns everybody, after the member was fetched.
 */
export function applyPresence(
  state: State,
  { presence, people, digests }: Heartbeat,
  snapshot: RequestSnapshot,
): { presence: State['presence']; cursor: string | undefined } {
  // Another workspace was opened meanwhile, whose presence is not known yet.
  if (!presence.complete && state.digests.presence !== snapshot.digests.presence)
    return { presence: state.presence, cursor: state.digests.presence }
  const changed = [...numberedStates(presence.changes)]
  const isUnchanged = !presence.complete && changed.length === 0 && people.length === 0
  if (isUnchanged) return { presence: state.presence, cursor: digests.presence }
  const next = new Map(presence.complete ? [] : state.presence)
  const set = (id: Uuid, now: PresenceState) => (now === 'offline' ? next.delete(id) : next.set(id, now))
  const ids = new Map([...state.members].map(([id, member]) => [member.number, id]))
  let areAllLoaded = true
  for (const [number, now] of changed) {
    const id = ids.get(number)
    if (id === undefined) areAllLoaded = false
    else set(id, now)
  }
  for (const person of people) set(person.profile_id, person.state)
  return { presence: next, cursor: areAllLoaded ? digests.presence : undefined }
}

/** The numbers of members with their states, in the order of the texts. */
function* numberedStates(changes: readonly string[]): Generator<[number, PresenceState]> {
  for (const text of changes) {
    let number = 0
    for (const [, difference, letter] of text.matchAll(CHANGE)) {
      number += Number(difference)
      yield [number, STATES[letter!] ?? 'offline']
    }
  }
}
