import type { Digests, DigestKind, OwnRows } from '../../../wire/sync.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { ChannelEntry, Section } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { isShallowEqual } from '../hooks/memoize.ts'
import { OWN_KINDS } from './ownKinds.ts'
import { byPosition } from './ownRows.ts'
import { historyStart } from './state.ts'
import type { State } from './state.ts'

const BUCKETS = 64
/** Characters of a digest. A text of this length is the digest of a whole list, a longer one has one for each bucket. */
const LENGTH = 6
/** No digest of the server has this character. */
const UNKNOWN = '.'.repeat(LENGTH)

/** The bucket of a row: the highest six bits of the last byte of its id, as in `supabase/schemas/sync/differences.sql`. */
function bucketOf(id: Uuid): number {
  return (Number.parseInt(id.slice(-2), 16) || 0) >> 2
}

function digestAt(digests: string | undefined, bucket: number): string {
  return digests?.slice(bucket * LENGTH, (bucket + 1) * LENGTH) ?? UNKNOWN
}

function joinBuckets(digestOf: (bucket: number) => string): string {
  return Array.from({ length: BUCKETS }, (_, bucket) => digestOf(bucket)).join('')
}

function isEqual(a: unknown, b: unknown): boolean {
  return isShallowEqual(a, b, isEqual)
}

/**
 * Whether the rows of a kind (those in the bucket of `id`) are in a response, because the digests that were sent with the
 * request are not those of the server. Without digests everything is.
 */
export function isInResponse(sent: Digests, received: Digests, kind: DigestKind, id?: Uuid): boolean {
  const [stored, current] = [sent[kind], received[kind]]
  if (stored === undefined || current === undefined) return stored === undefined
  return id === undefined || digestAt(stored, bucketOf(id)) !== digestAt(current, bucketOf(id))
}

function withoutKind(digests: Digests, kind: DigestKind): Digests {
  const { [kind]: _, ...others } = digests
  return others
}

/** The digests without those of the buckets of `ids`. */
function withoutDigests(digests: Digests, kind: DigestKind, ids: readonly Uuid[]): Digests {
  const known = digests[kind]
  if (known === undefined || ids.length === 0) return digests
  const unknown = new Set(ids.map(bucketOf))
  return {
    ...digests,
    [kind]: joinBuckets((bucket) => (unknown.has(bucket) ? UNKNOWN : digestAt(known, bucket))),
  }
}

/** Ids of the rows that only one of two maps has, or that differ. */
function changedIds<T>(
  before: ReadonlyMap<Uuid, T>,
  after: ReadonlyMap<Uuid, T>,
  same: (a: T, b: T) => boolean,
): Uuid[] {
  if (before === after) return []
  const isChanged = (id: Uuid) => {
    const [a, b] = [before.get(id), after.get(id)]
    return a !== b && (a === undefined || b === undefined || !same(a, b))
  }
  return [...new Set([...before.keys(), ...after.keys()])].filter(isChanged)
}

/** The channel's rev changes without the thread. */
function isSameThread(a: ThreadState | undefined, b: ThreadState): boolean {
  return isEqual({ ...a, rev: 0 }, { ...b, rev: 0 })
}

/** Whether a channel has the same readable history as before: threads appear and disappear with it without an event. */
export function hasSameHistory(before: State, after: State, channelId: Uuid): boolean {
  const a = before.channels.get(channelId)?.entry
  const b = after.channels.get(channelId)?.entry
  return a === b || (!!a && !!b && a.member === b.member && historyStart(a) === historyStart(b))
}

function withoutOtherHistory(before: State, after: State, digests: Digests): Digests {
  const same = [...before.channels.keys()].every(
    (id) => !after.channels.has(id) || hasSameHistory(before, after, id),
  )
  return same ? digests : withoutKind(digests, 'threads')
}

/**
 * The state after an event, without the digests of the rows that it changed: a digest asserts that the rows here are
 * those which the server has described with it.
 */
export function withoutChangedDigests(before: State, after: State): State {
  if (before === after) return after
  const channels = changedIds(
    before.channels,
    after.channels,
    (a, b) => a.entry === b.entry || !(a.entry.member || b.entry.member),
  )
  const threads = changedIds(before.threads, after.threads, isSameThread)
  const isUnread = (root: Uuid) =>
    [before, after].some((state) => (state.threads.get(root)?.counts.unread ?? 0) > 0)
  let digests = withoutDigests(after.digests, 'people', changedIds(before.members, after.members, isEqual))
  digests = withoutDigests(digests, 'channels', channels)
  digests = withoutDigests(digests, 'threads', threads)
  if (threads.some(isUnread)) digests = withoutKind(digests, 'unread')
  if (before.sections !== after.sections) digests = withoutKind(digests, 'sections')
  for (const kind of OWN_KINDS)
    digests = withoutDigests(digests, kind, changedIds(before[kind], after[kind], isEqual))
  if (channels.length > 0) digests = withoutOtherHistory(before, after, digests)
  return digests === after.digests ? after : { ...after, digests }
}

/**
 * The digests after a response was merged into the rows: those that it contains, without buckets whose rows are not as
 * in the response, because something newer was known.
 */
export function mergeDigests(
  before: State,
  after: State,
  sent: Digests,
  response: {
    digests: Digests
    channels: readonly ChannelEntry[]
    threads: readonly ThreadState[]
    sections: readonly Section[]
    own: Partial<OwnRows>
  },
): Digests {
  const received = response.digests
  const merged: Partial<Record<DigestKind, string>> = { ...before.digests }
  for (const [name, digest] of Object.entries(received)) {
    const kind = name as DigestKind
    const [stored, current] = [sent[kind], merged[kind]]
    const isUnchanged = (bucket: number) =>
      stored !== undefined && digestAt(stored, bucket) === digestAt(digest, bucket)
    merged[kind] =
      digest.length === LENGTH
        ? digest
        : joinBuckets((bucket) => digestAt(isUnchanged(bucket) ? current : digest, bucket))
  }
  const entries = new Map(response.channels.map((entry) => [entry.channel.id, entry]))
  const others = [...after.channels].filter(
    ([id, { entry }]) =>
      entry.member && isInResponse(sent, received, 'channels', id) && !isEqual(entry, entries.get(id)),
  )
  let digests = withoutDigests(
    merged,
    'channels',
    others.map(([id]) => id),
  )
  if (isInResponse(sent, received, 'sections') && !isEqual(after.sections, byPosition(response.sections)))
    digests = withoutKind(digests, 'sections')
  for (const kind of OWN_KINDS) {
    const listed = new Map<Uuid, object>((response.own[kind] ?? []).map((row) => [row.id, row]))
    const merged = new Map<Uuid, object>(
      [...after[kind]].filter(([id]) => isInResponse(sent, received, kind, id)),
    )
    digests = withoutDigests(digests, kind, changedIds(merged, listed, isEqual))
  }
  if (isInResponse(sent, received, 'unread')) {
    const listed = new Set(response.threads.map((one) => one.root_id))
    const isListed = (one: ThreadState) => listed.has(one.root_id) || !one.follows || one.counts.unread === 0
    const isMerged =
      response.threads.every((one) => isSameThread(after.threads.get(one.root_id), one)) &&
      [...after.threads.values()].every(isListed)
    if (!isMerged) digests = withoutKind(digests, 'unread')
  }
  return withoutOtherHistory(before, after, digests)
}

/** What a request sends, and a device stores: without the digests of threads that are still to be fetched. */
export function currentDigests(state: State): Digests {
  return withoutDigests(state.digests, 'threads', [...state.staleThreads.keys()])
}
