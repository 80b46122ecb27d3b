import { useEffect, useState } from 'react'
import type { Attachment, Uuid } from '../../../../wire/linnet.ts'
import { readText } from '../../../data/files/download/readText.ts'

type Read = Awaited<ReturnType<typeof readText>>

const NOTHING: Read = { ok: true, value: { text: '', cut: false } }

/** The beginning of a text file, `most` bytes of it; null while it is read. */
export function useText(channelId: Uuid, { id, size }: Attachment, most: number): Read | null {
  const [read, setRead] = useState<{ id: Uuid; read: Read } | null>(null)
  const empty = size === 0
  useEffect(() => {
    if (empty) return
    let gone = false
    void readText(channelId, id, most).then((read) => {
      if (!gone) setRead({ id, read })
    })
    return () => {
      gone = true
    }
  }, [channelId, id, most, empty])
  if (empty) return NOTHING
  return read?.id === id ? read.read : null
}
