import { i18n } from '@lingui/core'
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { LIMITS } from '../../../wire/linnet.ts'
import { failureFrom } from '../../data/failures.ts'
import type { Failure } from '../../data/failures.ts'
import type { PreparedFile } from '../../data/files/sending/prepareFile.ts'
import { useNotice } from '../../ui/notice.ts'

export interface Attachments {
  files: PreparedFile[]
  /** Files are being read and measured. */
  preparing: boolean
  /** A file is held over the pane. */
  over: boolean
  add: (files: File[]) => void
  remove: (id: string) => void
  /** Hands the files over and starts empty. */
  take: () => PreparedFile[]
  putBack: (files: PreparedFile[]) => void
  /** Why they can't be sent any more as they were chosen, or null. */
  unreadable: (files: PreparedFile[]) => Promise<Failure | null>
}

/** A file and the place in which it was chosen: a small one is read before a large one, yet stays behind it. */
interface Slot {
  order: number
  file: PreparedFile
}

const inOrder = (slots: Slot[]): Slot[] => slots.sort((a, b) => a.order - b.order)

/** What reads files: not needed for the first words, but on this device before it may go offline. */
const preparation = () => import('../../data/files/sending/prepareFile.ts')

/**
 * The files of the message being written: chosen, pasted, or dropped anywhere on the pane
 * (`[data-pane]`) around the composer.
 */
export function useAttachments(composer: RefObject<HTMLElement | null>): Attachments {
  const notice = useNotice()
  const [slots, setSlots] = useState<Slot[]>([])
  const [waiting, setWaiting] = useState(0)
  const [over, setOver] = useState(false)
  const count = useRef(0)
  const chosenAt = useRef(0)

  const prepare = useCallback(
    async (file: File) => {
      const order = ++chosenAt.current
      setWaiting((n) => n + 1)
      const outcome = await preparation().then(
        ({ prepareFile }) => prepareFile(file),
        (error: unknown) => ({ ok: false as const, failure: failureFrom(error) }),
      )
      setWaiting((n) => n - 1)
      if (outcome.ok) setSlots((now) => inOrder([...now, { order, file: outcome.value }]))
      else {
        count.current--
        notice({ words: outcome.failure.sentence })
      }
    },
    [notice],
  )

  const add = useCallback(
    (chosen: File[]) => {
      const room = LIMITS.attachments - count.current
      if (chosen.length > room)
        notice({ words: i18n._('A message takes {most} files at most.', { most: LIMITS.attachments }) })
      const taken = chosen.slice(0, Math.max(0, room))
      count.current += taken.length
      for (const file of taken) void prepare(file)
    },
    [notice, prepare],
  )

  useEffect(() => {
    // Fetched ahead: should that fail, it is fetched again for the first file.
    preparation().catch(() => {})
  }, [])

  useEffect(() => {
    const pane = composer.current?.closest<HTMLElement>('[data-pane]')
    if (!pane) return
    const held = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const left = (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node) || !pane.contains(event.relatedTarget)) setOver(false)
    }
    const dropped = (event: DragEvent) => {
      if (!event.dataTransfer?.files.length) return
      event.preventDefault()
      setOver(false)
      add([...event.dataTransfer.files])
    }
    const pasted = (event: ClipboardEvent) => {
      const pastedFiles = [...(event.clipboardData?.files ?? [])]
      // Copied cells of a spreadsheet are words and a picture of them: the words are meant.
      if (pastedFiles.length === 0 || event.clipboardData?.getData('text/plain')) return
      event.preventDefault()
      add(pastedFiles)
    }
    pane.addEventListener('dragover', held)
    pane.addEventListener('dragleave', left)
    pane.addEventListener('drop', dropped)
    pane.addEventListener('paste', pasted)
    return () => {
      pane.removeEventListener('dragover', held)
      pane.removeEventListener('dragleave', left)
      pane.removeEventListener('drop', dropped)
      pane.removeEventListener('paste', pasted)
    }
  }, [add, composer])

  return {
    files: slots.map(({ file }) => file),
    preparing: waiting > 0,
    over,
    add,
    remove: (id) => {
      count.current--
      setSlots((now) => now.filter(({ file }) => file.id !== id))
    },
    take: () => {
      count.current = 0
      setSlots([])
      return slots.map(({ file }) => file)
    },
    unreadable: async (chosen) => (await preparation()).unreadableOf(chosen),
    putBack: (back) => {
      count.current += back.length
      setSlots((now) => [...back.map((file) => ({ order: 0, file })), ...now])
    },
  }
}
