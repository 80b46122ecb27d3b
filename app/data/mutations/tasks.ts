import { queueKeyOf } from './mutation.ts'
import type { Mutation, OutboxFile } from './mutation.ts'

/** The next step of a mutation: its request, or the upload of one of its files. */
export interface Task {
  /** Tasks of one queue run one after the other. */
  queueKey: string
  mutation: Mutation
  /** The file to upload; null: the mutation's request. */
  file: OutboxFile | null
}

/**
 * What can be done about a mutation now. Files go beside each other and beside all words; their message is asked when all
 * of them are there. One that is paused, or was refused, holds back nothing but its message.
 */
export function tasksOf(mutation: Mutation): Task[] {
  if (mutation.state !== 'pending') return []
  const pending = mutation.kind === 'send' ? mutation.files.filter((file) => !file.uploaded) : []
  if (pending.length === 0) return [{ queueKey: queueKeyOf(mutation), mutation, file: null }]
  // All uploads failed: the message fails with the reason of its file.
  if (pending.every((file) => file.failure))
    return [{ queueKey: `files/${mutation.id}`, mutation, file: null }]
  return pending
    .filter((file) => !file.failure && !file.paused)
    .map((file) => ({ queueKey: `file/${file.id}`, mutation, file }))
}
