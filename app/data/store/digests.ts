import type { ChannelEntry, Digests, DigestKind, ThreadState } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { isShallowEqual } from '../hooks/memoize.ts'
import { historyStart } from './state.ts'
import type { State } from './state.ts'

/** Kinds whose rows are divided into buckets; of the others the whole list has one digest. */
const BUCKETED: ReadonlySet<string> = new Set<DigestKind>(['people', 'channels', 'threads', 'presence'])
const BUCKETS = 64
const LENGTH = 6
/** No digest of the server has this character. */
const UNKNOWN = '.'.repeat(LENGTH)

/** The bucket of a row: the highest six bits of the last byte of its id, as in the migration `client_differences`. */
function bucketOf(id: Uuid): number {
  return (Number.parseInt(id.slice(-2), 16) || 0) >> 2
}

function digestAt(digests: string | undefined, bucket: number): string {
  return digests?.slice(bucket * LENGTH, (bucket + 1) * LENGTH) ?? UNKNOWN
}

function isEqual(a: unknown, b: unknown): boolean {
  return isShallowEqual(a, b, isEqual)
}

/**
 * Whether the rows of a kind (those in the bucket of `id`) are in a response, because the digests that were sent with the
 * request are not those of the server. Without digests everything is.
 */
export function isInResponse(sent: Digests, received: Digests, kind: DigestKind, id?: Uuid): boolean {
  if (sent[kind] === undefined) return true
  if (received[kind] === undefined) return false
  if (id === undefined) return true
  const bucket = bucketOf(id)
  return digestAt(sent[kind], bucket) !== digestAt(received[kind], bucket)
}

/** The digests without those of the buckets of `ids`. */
function withoutDigests(digests: Digests, kind: DigestKind, ids: readonly Uuid[]): Digests {
  const known = digests[kind]
  if (known === undefined || ids.length === 0) return digests
  if (!BUCKETED.has(kind)) {
    const { [kind]: _, ...others } = digests
    return others
  }
  const unknown = new Set(ids.map(bucketOf))
  const buckets = Array.from({ length: BUCKETS }, (_, bucket) =>
    unknown.has(bucket) ? UNKNOWN : digestAt(known, bucket),
  )
  return { ...digests, [kind]: buckets.join('') }
}

/** Ids of the rows that only one of two maps has, or that differ. */
function changedIds<T>(
  before: ReadonlyMap<Uuid, T>,
  after: ReadonlyMap<Uuid, T>,
  same: (a: T, b: T) => boolean,
): Uuid[] {
  if (before === after) return []
  const changed: Uuid[] = []
  for (const [id, row] of after) {
    const known = before.get(id)
    if (known === undefined || (known !== row && !same(known, row))) changed.push(id)
  }
  if (before.size + changed.length > after.size) {
    for (const id of before.keys()) if (!after.has(id)) changed.push(id)
  }
  return changed
}

/** The channel's rev changes without the thread. */
function isSameThread(a: ThreadState, b: ThreadState): boolean {
  return isEqual({ ...a, rev: 0 }, { ...b, rev: 0 })
}

/** Whether a channel has the same readable history as before: threads appear and disappear with it without an event. */
export function hasSameHistory(before: State, after: State, channelId: Uuid): boolean {
  const a = before.channels.get(channelId)?.entry
  const b = after.channels.get(channelId)?.entry
  return a === b || (!!a && !!b && a.member === b.member && historyStart(a) === historyStart(b))
}

function hasOtherHistory(before: State, after: State): boolean {
  if (before.channels === after.channels) return false
  return [...after.channels.keys()].some(
    (id) => !hasSameHistory(before, after, id) && before.channels.has(id),
  )
}

/**
 * The state after an event, without the digests of the rows that it changed: a digest asserts that the rows here are
 * those which the server has described with it.
 */
export function withoutChangedDigests(before: State, after: State): State {
  if (before === after) return after
  let digests = after.digests
  digests = withoutDigests(digests, 'people', changedIds(before.members, after.members, isEqual))
  const channels = changedIds(
    before.channels,
    after.channels,
    (a, b) => a.entry === b.entry || (!a.entry.member && !b.entry.member),
  )
  digests = withoutDigests(digests, 'channels', channels)
  const threads = changedIds(before.threads, after.threads, isSameThread)
  digests = withoutDigests(digests, 'threads', threads)
  const isUnread = (root: Uuid) =>
    [before, after].some(({ threads: all }) => (all.get(root)?.counts.unread ?? 0) > 0)
  digests = withoutDigests(digests, 'unread', threads.filter(isUnread))
  if (before.sections !== after.sections) {
    const { sections: _, ...others } = digests
    digests = others
  }
  if (hasOtherHistory(before, after)) {
    const { threads: _, ...others } = digests
    digests = others
  }
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
  response: { digests: Digests; channels: readonly ChannelEntry[]; threads: readonly ThreadState[] },
): Digests {
  const received = response.digests
  const merged: Partial<Record<DigestKind, string>> = { ...before.digests }
  for (const kind of Object.keys(received) as DigestKind[]) {
    const digest = received[kind]
    if (digest === undefined) continue
    const buckets = Array.from({ length: BUCKETS }, (_, bucket) =>
      sent[kind] !== undefined && digestAt(sent[kind], bucket) === digestAt(digest, bucket)
        ? digestAt(before.digests[kind], bucket)
        : digestAt(digest, bucket),
    )
    merged[kind] = BUCKETED.has(kind) ? buckets.join('') : digest
  }
  let digests: Digests = merged
  const entries = new Map(response.channels.map((entry) => [entry.channel.id, entry]))
  const channels = [...after.channels].filter(
    ([id, { entry }]) =>
      entry.member &&
      isInResponse(sent, received, 'channels', id) &&
      !isEqual(withoutUnknown(entry), withoutUnknown(entries.get(id))),
  )
  const missing = [...entries.keys()].filter((id) => !after.channels.has(id))
  digests = withoutDigests(digests, 'channels', [...channels.map(([id]) => id), ...missing])
  if (isInResponse(sent, received, 'unread')) {
    const listed = new Map(response.threads.map((one) => [one.root_id, one]))
    const unread = [...after.threads.values()].filter((one) => one.follows && one.counts.unread > 0)
    const others = [
      ...unread.filter((one) => !listed.has(one.root_id)),
      ...response.threads.filter((one) => {
        const known = after.threads.get(one.root_id)
        return !known || !isSameThread(known, one)
      }),
    ]
    digests = withoutDigests(
      digests,
      'unread',
      others.map((one) => one.root_id),
    )
  }
  if (hasOtherHistory(before, after)) {
    const { threads: _, ...others } = digests
    digests = others
  }
  return digests
}

/** Two times in different formats may be the same moment; the id of a change may be unknown. */
function withoutUnknown(entry: ChannelEntry | undefined): unknown {
  return entry && { ...entry, last_message_at: Date.parse(entry.last_message_at ?? '') || 0 }
}

/** What a request sends, and a device stores: without the digests of threads that are still to be fetched. */
export function currentDigests(state: State): Digests {
  return withoutDigests(state.digests, 'threads', [...state.staleThreads.keys()])
}
