import type { Uuid } from '../../../wire/linnet.ts'
import { done, failureFrom, failureNamed } from '../failures.ts'
import type { Outcome } from '../failures.ts'
import { running } from '../runtime.ts'
import type { Running } from '../runtime.ts'
import { getClient } from '../session/client.ts'
import type { Preferences } from './preferences.ts'

/** Writes preferences of one channel; the row shows them before their event comes. */
export async function savePreferences(
  now: Running,
  channelId: Uuid,
  change: Partial<Preferences>,
): Promise<Outcome> {
  const me = now.store.get().me
  if (!me || running() !== now) return { ok: false, failure: failureNamed('session_ended') }
  try {
    const client = await getClient()
    const answer = await client
      .from('channel_state')
      .update(change)
      .eq('channel_id', channelId)
      .eq('profile_id', me.profile.id)
      .select('channel_id')
    if (answer.error) return { ok: false, failure: failureFrom(answer.error, answer.status) }
    // No row: one doesn't belong to it any more.
    if (answer.data.length === 0) return { ok: false, failure: failureNamed('not_found') }
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
  const entry = now.store.get().channels.get(channelId)?.entry
  if (entry) {
    const state = { ...entry.state, ...change }
    const payload = { channel_id: channelId, state, counts: entry.counts }
    now.store.dispatch({ type: 'userTold', event: { event: 'state', payload } })
  }
  return done(undefined)
}
