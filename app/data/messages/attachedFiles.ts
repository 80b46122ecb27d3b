import type { PreparedFile } from '../files/upload/prepareFile.ts'
import { setBounded } from '../hooks/setBounded.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { getClientSession, sessionEmitter, type ClientSession } from '../session/clientSession.ts'

/** A file and its position in the selection: a small file is read before a large one, but stays behind it. */
export interface AttachedFile {
  order: number
  file: PreparedFile
  /** The person has not decided yet whether to send it with a location that could not be removed. */
  isUndecided?: boolean
}

/** Messages whose files are kept; those of the least recently changed one are dropped first. */
const MAX_MESSAGES = 20

const NONE: readonly AttachedFile[] = []
const bySession = new WeakMap<ClientSession, Map<string, readonly AttachedFile[]>>()

/**
 * The files of a message that is being written, in order. They are kept while another conversation is shown, until the page
 * is closed or shows another account or workspace; unlike texts they are not stored on the device.
 */
export function attachedFiles(key: string): readonly AttachedFile[] {
  const session = getClientSession()
  return (session && bySession.get(session)?.get(key)) ?? NONE
}

/** The same, and renders again when they change. */
export function useAttachedFiles(key: string): readonly AttachedFile[] {
  return useClientSession(() => attachedFiles(key))
}

/** Replaces the files of a message that is being written. */
export function changeAttachedFiles(
  key: string,
  change: (files: readonly AttachedFile[]) => readonly AttachedFile[],
): void {
  const session = getClientSession()
  if (!session) return
  const all = bySession.get(session) ?? new Map<string, readonly AttachedFile[]>()
  bySession.set(session, all)
  const files = change(all.get(key) ?? NONE).toSorted((a, b) => a.order - b.order)
  if (files.length > 0) setBounded(all, key, files, MAX_MESSAGES)
  else all.delete(key)
  sessionEmitter.emit()
}
