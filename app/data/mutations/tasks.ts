import { queueKeyOf } from './mutation.ts'
import type { Mutation, OutboxFile } from './mutation.ts'

/** What comes next about a deed: that it is asked, or that the bytes of one of its files are brought. */
export interface Task {
  /** Tasks of one lane go one after the other. */
  queueKey: string
  mutation: Mutation
  /** The file to bring; null: the deed itself. */
  file: OutboxFile | null
}

/**
 * What can be done about a deed now. Files go beside each other and beside all words; their message is asked when all
 * of them are there. One that is paused, or was refused, holds back nothing but its message.
 */
export function tasksOf(mutation: Mutation): Task[] {
  if (mutation.state !== 'pending') return []
  const pending = mutation.kind === 'send' ? mutation.files.filter((file) => !file.uploaded) : []
  if (pending.length === 0) return [{ queueKey: queueKeyOf(mutation), mutation, file: null }]
  // Nothing is left to wait for: the message is refused, with the reason of its file.
  if (pending.every((file) => file.failure))
    return [{ queueKey: `files/${mutation.id}`, mutation, file: null }]
  return pending
    .filter((file) => !file.failure && !file.paused)
    .map((file) => ({ queueKey: `file/${file.id}`, mutation, file }))
}
