import { useCallback, useSyncExternalStore } from 'react'
import type { Uuid } from '../../../../wire/scalars.ts'
import type { Failure } from '../../failures/failures.ts'
import { getClientSession } from '../../session/clientSession.ts'
import type { ClientSession } from '../../session/clientSession.ts'
import { discardMutation } from '../../mutations/coalesceMutation.ts'
import { messageWithFile, updateFile, resumeFile, removeFile } from '../../mutations/uploads/outboxFiles.ts'
import type { OutboxFile, OutboxItem } from '../../mutations/mutation.ts'
import { useClientSession } from '../../hooks/useClientSession.ts'
import { onProgress, progressOf } from './progress.ts'

export interface Upload {
  /** `waiting`: for other uploads, the network, or the leading tab. */
  state: 'waiting' | 'running' | 'paused' | 'failed' | 'done'
  /** Bytes, rounded to a hundredth of the size. */
  sent: number
  size: number
  /** Set if it failed. */
  failure: Failure | null
}

function fileOf(session: ClientSession | null, id: Uuid): OutboxFile | null {
  for (const item of session?.outbox.items() ?? []) {
    const file = item.files.find((one) => one.id === id)
    if (file) return file
  }
  return null
}

function stateOf(file: OutboxFile, isRunning: boolean): Upload['state'] {
  if (file.uploaded) return 'done'
  if (file.failure) return 'failed'
  if (file.paused) return 'paused'
  return isRunning ? 'running' : 'waiting'
}

/** The state of an upload; renders again with each hundredth of it. */
export function useUpload(fileId: Uuid): Upload {
  const file = useClientSession((session) => fileOf(session, fileId))
  const listen = useCallback((listener: () => void) => onProgress(fileId, listener), [fileId])
  const size = file?.size ?? 0
  const hundredths = useSyncExternalStore(listen, () => {
    const sent = progressOf(fileId)?.sent ?? file?.sent ?? 0
    return size === 0 ? 0 : Math.min(100, Math.floor((sent / size) * 100))
  })
  const isRunning = useSyncExternalStore(listen, () => progressOf(fileId)?.isRunning ?? false)
  if (!file) return { state: 'done', sent: 0, size: 0, failure: null }
  const state = stateOf(file, isRunning)
  const sent = state === 'done' ? size : Math.round((hundredths * size) / 100)
  return { state, sent, size, failure: file.failure ?? null }
}

/** Pauses an upload until `resumeUpload`, also after a reload. */
export async function pauseUpload(fileId: Uuid): Promise<void> {
  await getClientSession()?.outbox.update((mutations) => updateFile(mutations, fileId, { paused: true }))
}

/** Resumes an upload that was paused or rejected. */
export async function resumeUpload(fileId: Uuid): Promise<void> {
  await getClientSession()?.outbox.update((mutations) => resumeFile(mutations, fileId))
}

/**
 * Removes a file from its message, unless that is being sent. Removing the last content removes the message: the value is
 * its text then, and null otherwise.
 */
export async function cancelUpload(fileId: Uuid): Promise<string | null> {
  let taken: OutboxItem | undefined
  const deletion = crypto.randomUUID()
  await getClientSession()?.outbox.update((mutations) => {
    const message = messageWithFile(mutations, fileId)
    taken = message?.files.length === 1 && !message.maybeSent ? message : undefined
    return taken ? discardMutation(mutations, taken.id, deletion, Date.now()) : removeFile(mutations, fileId)
  })
  return taken?.body ?? null
}
