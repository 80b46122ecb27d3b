import { laneOf } from './mutation.ts'
import type { Deed, OutboxFile } from './mutation.ts'

/** What comes next about a deed: that it is asked, or that the bytes of one of its files are brought. */
export interface Task {
  /** Tasks of one lane go one after the other. */
  lane: string
  deed: Deed
  /** The file to bring; null: the deed itself. */
  file: OutboxFile | null
}

/**
 * What can be done about a deed now. Files go beside each other and beside all words; their message is asked when all
 * of them are there. One that is paused, or was refused, holds back nothing but its message.
 */
export function tasksOf(deed: Deed): Task[] {
  if (deed.state !== 'pending') return []
  const open = deed.kind === 'send' ? deed.files.filter((file) => !file.uploaded) : []
  if (open.length === 0) return [{ lane: laneOf(deed), deed, file: null }]
  // Nothing is left to wait for: the message is refused, with the reason of its file.
  if (open.every((file) => file.failure)) return [{ lane: `files/${deed.id}`, deed, file: null }]
  return open
    .filter((file) => !file.failure && !file.paused)
    .map((file) => ({ lane: `file/${file.id}`, deed, file }))
}
