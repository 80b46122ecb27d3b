import { useEffect, useState } from 'react'
import type { Uuid } from '../../../../wire/linnet.ts'
import { readText } from '../../../data/files/reading/readText.ts'

type Read = Awaited<ReturnType<typeof readText>>

/** The beginning of a text file, `most` bytes of it; null while it is read. */
export function useText(channelId: Uuid, id: Uuid, most: number): Read | null {
  const [read, setRead] = useState<{ id: Uuid; read: Read } | null>(null)
  useEffect(() => {
    let gone = false
    void readText(channelId, id, most).then((read) => {
      if (!gone) setRead({ id, read })
    })
    return () => {
      gone = true
    }
  }, [channelId, id, most])
  return read?.id === id ? read.read : null
}
