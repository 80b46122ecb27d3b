import { useEffect, useState } from 'react'
import type { Attachment } from '../../../../../wire/files.ts'
import type { Uuid } from '../../../../../wire/scalars.ts'
import { readText } from '../../../../data/files/download/readText.ts'

type ReadResult = Awaited<ReturnType<typeof readText>>

const EMPTY: ReadResult = { ok: true, value: { text: '', cut: false } }

/** The first `maxBytes` of a text file; null while it is loading. */
export function useTextFile(channelId: Uuid, { id, size }: Attachment, maxBytes: number): ReadResult | null {
  const [read, setRead] = useState<{ id: Uuid; read: ReadResult } | null>(null)
  const empty = size === 0
  useEffect(() => {
    if (empty) return
    let isStale = false
    void readText(channelId, id, maxBytes).then((read) => {
      if (!isStale) setRead({ id, read })
    })
    return () => {
      isStale = true
    }
  }, [channelId, id, maxBytes, empty])
  if (empty) return EMPTY
  return read?.id === id ? read.read : null
}
