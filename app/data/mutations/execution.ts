import type { Message } from '../../../wire/messages.ts'
import type { ThreadReadResponse } from '../../../wire/threads.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import type { MutationOf, Mutations, OwnRowMutation } from './mutation.ts'
import type { SyncEvent } from '../store/syncEvents.ts'
import type { Ports } from '../sync/ports.ts'

/** The event for the response to a mutation, which this tab and others apply. */
export type MutationResult = Extract<
  SyncEvent,
  {
    type:
      | 'messageReceived'
      | 'readStateReceived'
      | 'threadStateReceived'
      | 'preferencesSaved'
      | 'notificationPreferencesSaved'
      | 'sectionSaved'
      | 'ownRowReceived'
  }
>

/** Requests of mutations: commands, and direct writes of own rows under policies. */
export interface ExecutionPorts extends Pick<Ports, 'call'> {
  saveOwnRow: (mutation: OwnRowMutation) => Promise<Outcome<MutationResult>>
  saveDraft: (mutation: MutationOf<'draft'>) => Promise<Execution>
}

export type Execution =
  | { result: 'done'; response: MutationResult | null }
  /** No result yet: a network error, or another device moved the read marker meanwhile. */
  | { result: 'retry'; response: MutationResult | null }
  | { result: 'refused'; failure: Failure }
  /** Another device had changed the same: the mutations are changed, and executed again. */
  | { result: 'changed'; response: MutationResult; update: (mutations: Mutations) => Mutations }

/** Failures after which the mutation has no effect and is dropped silently. */
const FAILURES_WITHOUT_EFFECT = new Set(['not_found', 'message_deleted', 'not_a_thread'])

/** The execution after a response, from which `toEvent` makes the event that tabs apply. */
export function toExecution<T>(outcome: Outcome<T>, toEvent: (value: T) => MutationResult): Execution {
  if (outcome.ok) return { result: 'done', response: toEvent(outcome.value) }
  const { failure } = outcome
  return failure.isRetryable ? { result: 'retry', response: null } : { result: 'refused', failure }
}

/** The same, but without an effect if the message or thread does not exist. */
export function toExecutionIfFound<T>(outcome: Outcome<T>, toEvent: (value: T) => MutationResult): Execution {
  const execution = toExecution(outcome, toEvent)
  return execution.result === 'refused' && FAILURES_WITHOUT_EFFECT.has(execution.failure.name)
    ? { result: 'done', response: null }
    : execution
}

/** Saves an own row with a direct write. */
export async function executeSave(
  mutation: OwnRowMutation,
  { saveOwnRow }: ExecutionPorts,
): Promise<Execution> {
  return toExecutionIfFound(await saveOwnRow(mutation), (response) => response)
}

/** The event for a response with a message. `drafts`: the changes of the draft that were sent with it. */
export function messageEvent({ message }: { message: Message }, drafts?: readonly Uuid[]): MutationResult {
  return { type: 'messageReceived', message, ...(drafts?.length ? { drafts } : {}) }
}

/** The event for a response with the reader's state of a thread. */
export function threadEvent({ thread }: Pick<ThreadReadResponse, 'thread'>): MutationResult {
  return { type: 'threadStateReceived', thread }
}
