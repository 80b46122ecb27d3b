import type { ChannelState, Uuid } from '../../../wire/linnet.ts'
import { done, failureFrom, failureNamed } from '../failures.ts'
import type { Outcome } from '../failures.ts'
import { hub, running } from '../runtime.ts'
import type { Running } from '../runtime.ts'
import { getClient } from '../session/client.ts'
import { untilOnline } from './untilOnline.ts'
import { createWishes } from './wishes.ts'
import type { Wishes } from './wishes.ts'

/** What is one's own in a channel and has no law: plain updates under a policy. */
export type Preferences = Pick<ChannelState, 'notify' | 'muted' | 'starred' | 'section_id' | 'position'>

const kept = new WeakMap<Running, Wishes<Preferences>>()

/** The preferences that are wished for, by channel, of who is signed in. */
export function preferences(now: Running): Wishes<Preferences> {
  const known = kept.get(now)
  if (known) return known
  const wishes = createWishes<Preferences>({
    save: (id, change) => save(now, id, change),
    pause: untilOnline,
    tell: hub.tell,
  })
  kept.set(now, wishes)
  return wishes
}

async function save(now: Running, channelId: Uuid, change: Partial<Preferences>): Promise<Outcome> {
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
