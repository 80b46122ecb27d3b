import type { Commands } from '../../../wire/commands.ts'
import type { ThreadReadResponse } from '../../../wire/threads.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { success } from '../failures/failures.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import type {
  DraftMutation,
  Mutation,
  PreferencesMutation,
  ReadMutation,
  ReadThreadMutation,
  SectionMutation,
  SendMutation,
} from './mutation.ts'
import type { SyncEvent } from '../store/syncEvents.ts'
import type { Ports } from '../sync/ports.ts'
import type { Store } from '../store/store.ts'

/** The event for the response to a mutation, which this tab and others apply. */
export type MutationResult = Extract<
  SyncEvent,
  {
    type:
      | 'messageReceived'
      | 'readStateReceived'
      | 'threadStateReceived'
      | 'preferencesSaved'
      | 'sectionSaved'
      | 'ownRowReceived'
  }
>

/** Requests of mutations: commands, and direct writes of own rows under policies. */
export interface ExecutionPorts extends Pick<Ports, 'call'> {
  saveOwnRow: (mutation: PreferencesMutation | SectionMutation) => Promise<Outcome<MutationResult>>
  saveDraft: (mutation: DraftMutation) => Promise<Execution>
}

export type Execution =
  | { result: 'done'; response: MutationResult | null }
  /** No result yet: a network error, or another device moved the read marker meanwhile. */
  | { result: 'retry'; response: MutationResult | null }
  | { result: 'refused'; failure: Failure }
  /** Another device had changed the same: the mutations are changed, and executed again. */
  | {
      result: 'changed'
      response: MutationResult
      update: (mutations: readonly Mutation[]) => readonly Mutation[]
    }

const NO_EFFECT: Execution = { result: 'done', response: null }

/** Failures after which the mutation has no effect and is dropped silently. */
const FAILURES_WITHOUT_EFFECT = new Set(['not_found', 'message_deleted', 'not_a_thread'])

/** Executes a mutation on the server. It is idempotent: a repetition after a lost response changes nothing more. */
export async function executeMutation(
  mutation: Mutation,
  store: Store,
  ports: ExecutionPorts,
): Promise<Execution> {
  switch (mutation.kind) {
    case 'send':
      // Sentences for what may be wrong with files, before the response arrives.
      if (mutation.files.length > 0) import('../files/upload/fileFailures.ts').catch(() => {})
      return messageExecution(await ports.call('send_message', sendArgs(mutation)), mutation.drafts)
    case 'edit':
      return messageExecution(
        await ports.call('edit_message', { id: mutation.message, body: mutation.body, edit: mutation.id }),
      )
    case 'delete':
      return dropFailureWithoutEffect(
        messageExecution(await ports.call('delete_message', { id: mutation.message })),
      )
    case 'react':
      return dropFailureWithoutEffect(
        messageExecution(
          await ports.call('react', { message: mutation.message, emoji: mutation.emoji, on: mutation.on }),
        ),
      )
    case 'read':
      return executeRead(mutation, store, ports)
    case 'unread': {
      const outcome = await ports.call('mark_unread', { channel: mutation.channel, seq: mutation.seq })
      if (!outcome.ok) return dropFailureWithoutEffect(fromFailure(outcome.failure))
      return { result: 'done', response: { type: 'readStateReceived', response: outcome.value } }
    }
    case 'readThread':
      return executeReadThread(mutation, store, ports)
    case 'unreadThread':
      return threadExecution(
        await ports.call('mark_thread_unread', { root: mutation.root, thread_seq: mutation.seq }),
      )
    case 'preferences':
    case 'section': {
      const outcome = await ports.saveOwnRow(mutation)
      return outcome.ok
        ? { result: 'done', response: outcome.value }
        : dropFailureWithoutEffect(fromFailure(outcome.failure))
    }
    case 'saveMessage': {
      const { message: id, saved: state } = mutation
      const outcome = await ports.call('save_message', { message: id, state })
      if (!outcome.ok) return dropFailureWithoutEffect(fromFailure(outcome.failure))
      return {
        result: 'done',
        response: { type: 'ownRowReceived', kind: 'saved', id, row: outcome.value.saved },
      }
    }
    case 'draft':
      return ports.saveDraft(mutation)
    case 'followThread':
      return threadExecution(await ports.call('follow_thread', { root: mutation.root, on: mutation.on }))
  }
}

function sendArgs(mutation: SendMutation): Commands['send_message']['args'] {
  return {
    id: mutation.id,
    channel: mutation.channel,
    body: mutation.body,
    thread_root: mutation.threadRoot,
    also_to_channel: mutation.alsoToChannel,
    attachments: mutation.files.map(({ id, name, width, height, thumb }) => ({
      id,
      name,
      width,
      height,
      thumb: thumb !== null,
    })),
    ...(mutation.extras ? { extras: mutation.extras } : {}),
    ...(mutation.onWeb === undefined ? {} : { on_web: mutation.onWeb }),
    ...(mutation.drafts?.length ? { drafts: [...mutation.drafts] } : {}),
  }
}

function fromFailure(failure: Failure): Execution {
  return failure.isRetryable ? { result: 'retry', response: null } : { result: 'refused', failure }
}

function dropFailureWithoutEffect(execution: Execution): Execution {
  return execution.result === 'refused' && FAILURES_WITHOUT_EFFECT.has(execution.failure.name)
    ? NO_EFFECT
    : execution
}

function messageExecution(outcome: Outcome<{ message: Message }>, drafts?: readonly Uuid[]): Execution {
  if (!outcome.ok) return fromFailure(outcome.failure)
  const { message } = outcome.value
  return {
    result: 'done',
    response: { type: 'messageReceived', message, ...(drafts?.length ? { drafts } : {}) },
  }
}

function threadExecution(outcome: Outcome<ThreadReadResponse>): Execution {
  if (!outcome.ok) return dropFailureWithoutEffect(fromFailure(outcome.failure))
  return { result: 'done', response: { type: 'threadStateReceived', thread: outcome.value.thread } }
}

/** Position of a read marker, and its version. */
interface Marker {
  last: number
  version: number
}

/**
 * The newer of the marker at the time of the mutation, and the loaded one. The loaded one may be older or missing, since
 * this tab sends for others and may not have loaded their workspace.
 */
function currentMarker(mutation: ReadMutation | ReadThreadMutation, loaded: Marker | undefined): Marker {
  const queued = { last: mutation.from, version: mutation.readVersion }
  return loaded && loaded.version >= queued.version ? loaded : queued
}

/** Maximum number of immediate attempts if other devices move the marker meanwhile. */
const MAX_ATTEMPTS = 3

/** Moves the marker forward from its current position, unless it was moved back ("mark unread") meanwhile. */
async function raiseMarker(
  mutation: ReadMutation | ReadThreadMutation,
  start: Marker,
  request: (
    version: number,
  ) => Promise<Outcome<{ applied: boolean; marker: Marker; response: MutationResult }>>,
): Promise<Execution> {
  let marker = start
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

function executeRead(mutation: ReadMutation, store: Store, ports: Pick<Ports, 'call'>): Promise<Execution> {
  const loaded = store.get().channels.get(mutation.channel)?.entry.state
  const marker = currentMarker(
    mutation,
    loaded && { last: loaded.last_read_seq, version: loaded.read_version },
  )
  return raiseMarker(mutation, marker, async (read_version) => {
    const outcome = await ports.call('mark_read', {
      channel: mutation.channel,
      seq: mutation.seq,
      read_version,
    })
    if (!outcome.ok) return outcome
    const { applied, state } = outcome.value
    return success({
      applied,
      marker: { last: state.last_read_seq, version: state.read_version },
      response: { type: 'readStateReceived', response: outcome.value },
    })
  })
}

function executeReadThread(
  mutation: ReadThreadMutation,
  store: Store,
  ports: Pick<Ports, 'call'>,
): Promise<Execution> {
  const loaded = store.get().threads.get(mutation.root)
  const marker = currentMarker(
    mutation,
    loaded && { last: loaded.last_read_thread_seq, version: loaded.read_version },
  )
  return raiseMarker(mutation, marker, async (read_version) => {
    const outcome = await ports.call('mark_thread_read', {
      root: mutation.root,
      thread_seq: mutation.seq,
      read_version,
    })
    if (!outcome.ok) return outcome
    const { applied, thread: threadState } = outcome.value
    return success({
      applied,
      marker: { last: threadState.last_read_thread_seq, version: threadState.read_version },
      response: { type: 'threadStateReceived', thread: threadState },
    })
  })
}
