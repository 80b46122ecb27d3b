import { useEffect, useState } from 'react'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import type { Outcome } from '../failures/failures.ts'
import { onClearFiles } from '../files/download/clearFiles.ts'
import { createFileCache } from '../files/download/fileCache.ts'
import { watchBytes } from '../files/download/watchBytes.ts'
import { readLinkPicture } from '../files/storageClient.ts'
import { applyMessage } from './applyMessage.ts'

/** Bytes of cached pictures that are not displayed. */
const MAX_UNUSED_BYTES = 8 * 1024 * 1024

const pictures = createFileCache(readLinkPicture, MAX_UNUSED_BYTES)
onClearFiles(() => pictures.clear())

/** Removes a preview from a message, for everyone. */
export function removeLinkPreview(message: Message, preview: Uuid): Promise<Outcome> {
  return applyMessage(callCommand('remove_link_preview', { message: message.id, preview }))
}

/** The object URL of a preview's picture, fetched with the user's token; null until it is loaded. */
export function useLinkPicture(preview: Uuid): string | null {
  const [shown, setShown] = useState<{ preview: Uuid; url: string | null } | null>(null)
  useEffect(() => watchBytes(pictures, preview, ({ url }) => setShown({ preview, url })), [preview])
  return shown?.preview === preview ? shown.url : null
}
