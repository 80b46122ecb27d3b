import { useEffect, useState } from 'react'
import type { Uuid } from '../../../../wire/linnet.ts'
import { done, failureFrom } from '../../failures.ts'
import type { Outcome } from '../../failures.ts'
import { readBytes } from './bytes.ts'
import { fileCache } from './fileCache.ts'
import { filePath } from '../filePath.ts'

export interface FileUrl {
  /** An object URL, valid while mounted. */
  url: string | null
  status: 'loading' | 'ready' | 'failed'
}

const cache = fileCache(readBytes)

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
