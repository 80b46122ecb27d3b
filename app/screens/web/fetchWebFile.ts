import type { Attachment } from '../../../wire/files.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { loadSettings } from '../../data/client/settings.ts'
import { isBoundedImage, MAX_PREVIEW_PIXELS } from '../../data/files/download/isBoundedImage.ts'

/** Fetches the bytes of a file with the public key alone. Rejects if there is no response. */
async function fetchWebFile(file: Attachment, channel: Uuid, part: 'file' | 'thumb'): Promise<Blob> {
  const { url, key } = await loadSettings()
  const response = await fetch(`${url}/storage/v1/object/files/${channel}/${file.id}/${part}`, {
    headers: { apikey: key, authorization: `Bearer ${key}` },
    credentials: 'omit',
    // Storage checks again whether the file is on the web.
    cache: 'no-cache',
  })
  if (!response.ok) throw new Error(`storage: ${response.status}`)
  return response.blob()
}

/**
 * Fetches and decodes a picture. Rejects also if it is no picture, or has too many pixels for the memory of a small device.
 * Its bytes are released, since a page can have many pictures.
 */
export async function loadWebPicture(
  file: Attachment,
  channel: Uuid,
  part: 'file' | 'thumb',
): Promise<HTMLImageElement> {
  const blob = await fetchWebFile(file, channel, part)
  if (!(await isBoundedImage(blob, MAX_PREVIEW_PIXELS))) throw new Error('no bounded image')
  const image = document.createElement('img')
  image.alt = file.name
  image.draggable = false
  image.src = URL.createObjectURL(blob)
  try {
    await image.decode()
  } finally {
    URL.revokeObjectURL(image.src)
  }
  return image
}

/** Saves a file under its name. No browser displays it with the origin of this page, whatever its type. */
export async function saveWebFile(file: Attachment, channel: Uuid): Promise<void> {
  const blob = await fetchWebFile(file, channel, 'file')
  const { saveBlob } = await import('../../data/files/download/saveFile.ts')
  await saveBlob(blob.slice(0, blob.size, 'application/octet-stream'), file.name)
}
