import { filesOf } from './mutation.ts'
import type { Mutation, OutboxFile } from './mutation.ts'
import { queueKeyOf } from './mutationKinds.ts'

/** The next step of a mutation: its request, or the upload of one of its files. */
export interface MutationStep {
  /** Steps of one queue run one after the other. */
  queueKey: string
  mutation: Mutation
  /** The file to upload; null: the mutation's request. */
  file: OutboxFile | null
}

/**
 * The steps that can run now. Files are uploaded in parallel with each other and with other messages; their message is
 * sent once all are uploaded. A paused or rejected file delays only its message.
 */
export function runnableSteps(mutation: Mutation): MutationStep[] {
  if (mutation.state !== 'pending') return []
  const pending = filesOf(mutation).filter((file) => !file.uploaded)
  if (pending.length === 0) return [{ queueKey: queueKeyOf(mutation), mutation, file: null }]
  // All uploads failed: the message fails with the reason of its file.
  if (pending.every((file) => file.failure))
    return [{ queueKey: `files/${mutation.id}`, mutation, file: null }]
  return pending
    .filter((file) => !file.failure && !file.paused)
    .map((file) => ({ queueKey: `file/${file.id}`, mutation, file }))
}
