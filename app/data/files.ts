import { useEffect, useState } from 'react'
import { LIMITS } from '../../wire/linnet.ts'
import type { Uuid } from '../../wire/linnet.ts'
import { getClient } from './client.ts'
import { done, failureFrom, failureNamed } from './failures.ts'
import type { Outcome } from './failures.ts'
import { fileCache } from './fileCache.ts'
import { measurePicture } from './pictures.ts'
import { stripMetadata } from './stripMetadata.ts'
import { filePath } from './upload.ts'

/** A file made ready on this device: pictures measured, stripped of location data, with a thumbnail. */
export interface PreparedFile {
  id: Uuid
  name: string
  type: string
  /** Bytes. */
  size: number
  width: number | null
  height: number | null
  blob: Blob
  thumb: Blob | null
}

/** Reads, measures and cleans a picked file. Refuses what is too large, with a sentence. */
export async function prepareFile(file: File): Promise<Outcome<PreparedFile>> {
  if (file.size > LIMITS.file) return { ok: false, failure: failureNamed('file_too_large') }
  try {
    const clean = await stripMetadata(file)
    const picture = await measurePicture(clean)
    // Bytes are copied: the file on disk may change or go before they are sent.
    const blob = new Blob([await (picture?.blob ?? clean).arrayBuffer()], {
      type: (picture?.blob ?? clean).type,
    })
    return done({
      id: crypto.randomUUID(),
      name: shownName(file.name, blob.type !== file.type ? blob.type : null),
      type: blob.type || 'application/octet-stream',
      size: blob.size,
      width: picture?.width ?? null,
      height: picture?.height ?? null,
      blob,
      thumb: picture?.thumb ?? null,
    })
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

/** A name that the database takes: one line, no path; with the new ending where the kind has changed. */
function shownName(name: string, becameType: string | null): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const plain = name.replace(/[\u0000-\u001F\u007F-\u009F/\\]/g, ' ').trim() || 'file'
  const ended = becameType === 'image/jpeg' ? `${plain.replace(/\.[^.]*$/, '')}.jpg` : plain
  return ended.length <= 255 ? ended : `${ended.slice(0, 235)}${ended.slice(-20)}`
}

export interface FileUrl {
  /** An object URL, valid while mounted. */
  url: string | null
  status: 'loading' | 'ready' | 'failed'
}

async function fetchBytes(path: string): Promise<Blob> {
  const client = await getClient()
  const { data, error } = await client.storage.from('files').download(path)
  if (error) throw error
  return data
}

const cache = fileCache(fetchBytes)

const LOADING: FileUrl = { url: null, status: 'loading' }

/**
 * The bytes, fetched with one's own token: nothing is signed, so a file ends with membership.
 * A null id fetches nothing (for lazy use).
 */
export function useFileUrl(channelId: Uuid, attachmentId: Uuid | null, what: 'file' | 'thumb'): FileUrl {
  const path = attachmentId === null ? null : filePath(channelId, attachmentId, what)
  const [shown, setShown] = useState<{ path: string; file: FileUrl } | null>(null)
  useEffect(() => {
    if (path === null) return
    let gone = false
    let held = cache.hold(path)
    const show = () => {
      held.url.then(
        (url) => {
          if (!gone) setShown({ path, file: { url, status: 'ready' } })
        },
        () => {
          if (gone) return
          setShown({ path, file: { url: null, status: 'failed' } })
          window.addEventListener('online', again, { once: true })
        },
      )
    }
    const again = () => {
      held.release()
      held = cache.hold(path)
      show()
    }
    show()
    return () => {
      gone = true
      window.removeEventListener('online', again)
      held.release()
    }
  }, [path])
  return shown && shown.path === path ? shown.file : LOADING
}

/** Forgets every byte that was shown, at sign-out. */
export function forgetFiles(): void {
  cache.clear()
}

/** Fetches and saves under its shown name. */
export async function downloadFile(channelId: Uuid, attachmentId: Uuid, name: string): Promise<Outcome> {
  try {
    const held = cache.hold(filePath(channelId, attachmentId, 'file'))
    const link = document.createElement('a')
    link.href = await held.url
    link.download = name
    link.click()
    // The browser reads the URL after the click.
    setTimeout(held.release, 60_000)
    return done(undefined)
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
