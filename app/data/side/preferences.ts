import type { ChannelState } from '../../../wire/linnet.ts'
import { hub } from '../runtime.ts'
import type { Running } from '../runtime.ts'
import { createWishes } from './wishes.ts'
import type { Wishes } from './wishes.ts'

/** What is one's own in a channel and has no law: plain updates under a policy. */
export type Preferences = Pick<ChannelState, 'notify' | 'muted' | 'starred' | 'section_id' | 'position'>

const kept = new WeakMap<Running, Wishes<Preferences>>()

/** The preferences that are wished for, by channel, of who is signed in. */
export function preferences(now: Running): Wishes<Preferences> {
  const wishes = kept.get(now) ?? createWishes<Preferences>(hub.tell)
  kept.set(now, wishes)
  return wishes
}
