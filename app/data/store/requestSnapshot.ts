import type { Digests } from '../../../wire/sync.ts'
import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { currentDigests } from './digests.ts'
import { emptyState } from './state.ts'
import type { ChannelRows, State } from './state.ts'
import type { OwnRowsById } from './ownKinds.ts'

/**
 * What was loaded when a request was sent. Only a channel loaded before the request may be removed because
 * the response lacks it; and a response whose revs are below these was not overtaken: the server was restored from a backup.
 */
export interface RequestSnapshot {
  /** Each channel's rev, the rev of its last metadata or membership change, its epoch, and the `rev` of the reader's state. */
  channels: ReadonlyMap<Uuid, ChannelSnapshot>
  /** Each thread's `read_version`, by root. */
  threads: ReadonlyMap<Uuid, number>
  /** Rows that only the user sees. */
  own: OwnRowsById
  /** The sections of the user's sidebar. */
  sections: State['sections']
  /** The digests that were sent with the request. */
  digests: Digests
}

interface ChannelSnapshot {
  rev: number
  metaRev: number
  epoch: number
  stateRev: number
  changeId?: number | undefined
  lastSeq?: number
  lastMessageAt?: string | null
}

/** Nothing was loaded. */
export const EMPTY_SNAPSHOT: RequestSnapshot = {
  channels: new Map(),
  threads: new Map(),
  own: emptyState,
  sections: emptyState.sections,
  digests: {},
}

/**
 * Whether a channel that a response leaves out has ended: it was loaded when the request was sent, and no event since
 * then reported that the user belongs to it (again).
 */
export function hasLeftChannel(snapshot: RequestSnapshot, { entry }: ChannelRows): boolean {
  const before = snapshot.channels.get(entry.channel.id)
  return entry.member && before !== undefined && entry.counters.meta_rev <= before.metaRev
}

/**
 * Whether a response has lower numbers of a channel than at the request, or another change under the same number: the
 * server was restored from a backup.
 */
export function isRolledBack(
  snapshot: RequestSnapshot | undefined,
  { channel, counters, last_message_at: lastMessageAt }: ChannelEntry,
): boolean {
  const before = snapshot?.channels.get(channel.id)
  if (!before) return false
  const { changeId, lastSeq = 0, lastMessageAt: lastBefore = null } = before
  const isOtherChange =
    counters.rev === before.rev && changeId !== undefined && (counters.change_id ?? changeId) !== changeId
  // Later changes may have raised one of the numbers again.
  return (
    isOtherChange ||
    counters.rev < before.rev ||
    counters.meta_rev < before.metaRev ||
    counters.epoch < before.epoch ||
    counters.last_seq < lastSeq ||
    (lastBefore !== null && (lastMessageAt === null || Date.parse(lastMessageAt) < Date.parse(lastBefore)))
  )
}

/** What is loaded now, to be handed over with the answer to a request that is sent now. */
export function takeSnapshot(state: State): RequestSnapshot {
  return {
    channels: new Map(
      [...state.channels].map(([id, { entry }]) => [
        id,
        {
          rev: entry.counters.rev,
          metaRev: entry.counters.meta_rev,
          epoch: entry.counters.epoch,
          stateRev: entry.state.rev,
          changeId: entry.counters.change_id,
          lastSeq: entry.counters.last_seq,
          lastMessageAt: entry.last_message_at,
        },
      ]),
    ),
    threads: new Map([...state.threads].map(([root, thread]) => [root, thread.read_version])),
    own: state,
    sections: state.sections,
    digests: currentDigests(state),
  }
}
