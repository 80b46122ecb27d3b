import { i18n } from '@lingui/core'
import type { Uuid } from '../../../wire/scalars.ts'
import { LIMITS } from '../../../wire/limits.ts'
import { fileEntry, MAX_SHARED_FILES, TEXT_ENTRY } from '../../worker/shares.ts'
import { SHARE_CACHE } from '../../worker/shareCache.ts'
import { attachedFiles, changeAttachedFiles } from '../messages/attachedFiles.ts'
import { readField } from '../messages/draftFields.ts'
import { changeDraft } from '../messages/drafts.ts'
import { prepareFile } from '../files/upload/prepareFile.ts'

/** What another application has shared. */
export interface SharedContent {
  text: string
  files: readonly File[]
}

/** Reads what the service worker has stored; null: nothing. */
export async function readSharedContent(): Promise<SharedContent | null> {
  // A page without a service worker, on plain HTTP, has no caches.
  if (!('caches' in globalThis) || !(await caches.has(SHARE_CACHE))) return null
  const cache = await caches.open(SHARE_CACHE)
  const text = (await (await cache.match(TEXT_ENTRY))?.text()) ?? ''
  const entries = await Promise.all(
    Array.from({ length: MAX_SHARED_FILES }, (_, index) => cache.match(fileEntry(index))),
  )
  const files = await Promise.all(entries.flatMap((entry) => (entry ? [readFile(entry)] : [])))
  return text === '' && files.length === 0 ? null : { text, files }
}

async function readFile(entry: Response): Promise<File> {
  const name = decodeURIComponent(entry.headers.get('x-file-name') ?? '')
  const type = entry.headers.get('content-type') ?? ''
  return new File([await entry.blob()], name, { type })
}

/** Deletes what was shared, after a conversation has received it or the person has discarded it. */
export async function deleteSharedContent(): Promise<void> {
  await caches.delete(SHARE_CACHE)
}

/**
 * Appends shared content to the draft of a conversation: the text to its text, and the files to its attachments. Returns
 * sentences about files that can't be attached.
 */
export async function addToDraft(channelId: Uuid, { text, files }: SharedContent): Promise<string[]> {
  if (text !== '') {
    const { text: before } = readField(channelId)
    changeDraft(channelId, null, { text: [before, text].filter(Boolean).join('\n') })
  }
  const free = Math.max(0, LIMITS.attachments - attachedFiles(channelId).length)
  const prepared = await Promise.all(files.slice(0, free).map(prepareFile))
  const problems: string[] = []
  for (const outcome of prepared) {
    if (!outcome.ok) problems.push(outcome.failure.message)
    else {
      const { file, mayHaveLocation } = outcome.value
      const added = { order: 0, file, isUndecided: mayHaveLocation }
      changeAttachedFiles(channelId, (before) => [...before, added])
    }
  }
  if (files.length > free)
    problems.unshift(
      i18n._('You can attach up to {most} files. {taken} of {chosen} were added.', {
        most: LIMITS.attachments,
        taken: free,
        chosen: files.length,
      }),
    )
  return problems
}
