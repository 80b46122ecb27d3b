import type { Uuid } from '../../../../wire/scalars.ts'
import type { ThreadState } from '../../../../wire/threads.ts'
import type { Outcome } from '../../failures/failures.ts'
import type { Execution, MutationResult } from '../execution.ts'
import { replaceMutation } from '../mutation.ts'
import type { Mutation, MutationInput, MutationInputOf, MutationOf, Mutations } from '../mutation.ts'
import { isAnything } from '../mutationKind.ts'

/** A read marker that is moved forward: what the kinds `read` and `readThread` have in common. */
export interface ReadFields {
  seq: number
  /**
   * The position and version of the read marker when messages were read. If the marker is lower now, the person has
   * marked messages as unread since then, and that change wins.
   */
  from: number
  readVersion: number
}

/** Checks of `ReadFields`. */
export const READ_FIELDS = { seq: isAnything, from: isAnything, readVersion: isAnything }

/** The channel or thread whose read marker the mutation moves, or null. */
function markerOf(mutation: Mutation | MutationInput): Uuid | null {
  if (!('seq' in mutation)) return null
  return 'root' in mutation ? mutation.root : mutation.channel
}

/** Merges moves of the same read marker into the farthest, unless it was moved back ("mark unread") in between. */
export function coalesceRead(
  mutations: Mutations,
  input: MutationInputOf<'read' | 'readThread'>,
  append: (others: Mutations) => Mutations,
): Mutations {
  const last = mutations.findLast((mutation) => markerOf(mutation) === markerOf(input))
  if (last?.kind !== 'read' && last?.kind !== 'readThread') return append(mutations)
  const { seq } = input
  if (last.seq >= seq) return mutations
  return replaceMutation(mutations, last, { ...last, seq, revision: last.revision + 1 })
}

/** Maximum number of immediate attempts if other devices move the marker meanwhile. */
const MAX_ATTEMPTS = 3

/** Position of a read marker, and its version. */
interface Marker {
  last: number
  version: number
}

/**
 * Moves the marker forward, unless it was moved back ("mark unread") meanwhile. It starts from the newer of the marker at
 * the time of the mutation, and the loaded one. The loaded one may be older or missing, since this tab sends for others
 * and may not have loaded their workspace.
 */
export async function raiseMarker(
  mutation: MutationOf<'read' | 'readThread'>,
  loaded: Marker | undefined,
  request: (
    version: number,
  ) => Promise<Outcome<{ applied: boolean; marker: Marker; response: MutationResult }>>,
): Promise<Execution> {
  const queued = { last: mutation.from, version: mutation.readVersion }
  let marker = loaded && loaded.version >= queued.version ? loaded : queued
  let response: MutationResult | null = null
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    if (marker.last >= mutation.seq || marker.last < mutation.from) return { result: 'done', response }
    // oxlint-disable-next-line no-await-in-loop -- each attempt uses the version of the response before
    const outcome = await request(marker.version)
    // Refused permanently: the user can't read the channel any more.
    if (!outcome.ok)
      return outcome.failure.isRetryable ? { result: 'retry', response } : { result: 'done', response }
    response = outcome.value.response
    if (outcome.value.applied || outcome.value.marker.last < marker.last) return { result: 'done', response }
    marker = outcome.value.marker
  }
  return { result: 'retry', response }
}

/** Moves the read marker of a thread; the unread count is an estimate, limited by the replies after it. */
export function withReadMarker(thread: ThreadState, readMarker: number): ThreadState {
  const above = Math.max(0, thread.last_thread_seq - readMarker)
  const more = Math.max(0, thread.last_read_thread_seq - readMarker)
  const { unread, mentions } = thread.counts
  const counts = { unread: Math.min(unread + more, above, 100), mentions: Math.min(mentions, above) }
  return { ...thread, last_read_thread_seq: readMarker, counts }
}
