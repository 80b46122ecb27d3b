import type { ChannelCounters, Uuid } from '../../../wire/linnet.ts'
import type { ChannelRows, State } from './state.ts'

/**
 * What was held when something was asked. Only of that does absence from the answer mean an end; and an answer
 * whose revs are below these was not overtaken: the home itself was restored from a copy.
 */
export interface Known {
  /** Each channel's rev, the rev at which it (or one's belonging to it) changed last, its epoch and `read_version`. */
  channels: ReadonlyMap<Uuid, { rev: number; meta: number; epoch: number; read: number }>
  /** Each thread's `read_version`, by root. */
  threads: ReadonlyMap<Uuid, number>
}

/** Nothing was held: absence ends nothing. */
export const NOTHING_KNOWN: Known = { channels: new Map(), threads: new Map() }

/**
 * Whether a channel that an answer leaves out has ended: it was held when it was asked, and nobody told since then
 * that one belongs to it (again).
 */
export function hasEnded(known: Known, { entry }: ChannelRows): boolean {
  const then = known.channels.get(entry.channel.id)
  return entry.member && then !== undefined && entry.counters.meta_rev <= then.meta
}

/** Whether an answer knows less of a channel than was known when it was asked: the home was restored from a copy. */
export function knowsLess(known: Known | undefined, channelId: Uuid, counters: ChannelCounters): boolean {
  const then = known?.channels.get(channelId)
  if (!then) return false
  // One number may have caught up by what was said since.
  return counters.rev < then.rev || counters.meta_rev < then.meta || counters.epoch < then.epoch
}

/** What is held now, to be handed over with the answer to what is asked now. */
export function knownOf(state: State): Known {
  return {
    channels: new Map(
      [...state.channels].map(([id, { entry }]) => [
        id,
        {
          rev: entry.counters.rev,
          meta: entry.counters.meta_rev,
          epoch: entry.counters.epoch,
          read: entry.state.read_version,
        },
      ]),
    ),
    threads: new Map([...state.threads].map(([root, thread]) => [root, thread.read_version])),
  }
}
