import { i18n } from '@lingui/core'
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { LIMITS } from '../../../../wire/linnet.ts'
import { failureFrom } from '../../../data/failures/failures.ts'
import type { Failure } from '../../../data/failures/failures.ts'
import type { PreparedFile } from '../../../data/files/upload/prepareFile.ts'
import { useNotice } from '../../../ui/notice.ts'

export interface Attachments {
  files: PreparedFile[]
  /** Files are being read and measured. */
  preparing: boolean
  /** A file is held over the pane. */
  over: boolean
  add: (files: File[]) => void
  remove: (id: string) => void
  /** Starts empty: the files were taken. */
  clear: () => void
  putBack: (files: PreparedFile[]) => void
}

/** A file and the place in which it was chosen: a small one is read before a large one, yet stays behind it. */
interface Slot {
  order: number
  file: PreparedFile
}

const inOrder = (slots: Slot[]): Slot[] => slots.sort((a, b) => a.order - b.order)

/** What reads files: not needed for the first words, but on this device before it may go offline. */
const preparation = () => import('../../../data/files/upload/prepareFile.ts')

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

  const add = useCallback(
    async (chosen: File[]) => {
      const taken = chosen.slice(0, Math.max(0, LIMITS.attachments - count.current))
      count.current += taken.length
      setWaiting((n) => n + taken.length)
      const refused: Failure[] = []
      await Promise.all(
        taken.map(async (file) => {
          const order = ++chosenAt.current
          const outcome = await preparation().then(
            ({ prepareFile }) => prepareFile(file),
            (error: unknown) => ({ ok: false as const, failure: failureFrom(error) }),
          )
          setWaiting((n) => n - 1)
          if (outcome.ok) return setSlots((now) => inOrder([...now, { order, file: outcome.value }]))
          count.current--
          refused.push(outcome.failure)
        }),
      )
      const words = refused.map((one) => one.sentence)
      if (chosen.length === 0) words.push(i18n._('That folder has no files.'))
      if (taken.length < chosen.length) {
        words.unshift(
          i18n._('You can attach up to {most} files. {taken} of {chosen} were added.', {
            most: LIMITS.attachments,
            taken: taken.length,
            chosen: chosen.length,
          }),
        )
      }
      if (words.length > 0) notice({ words: words.join(' ') })
    },
    [notice],
  )

  useEffect(() => {
    const pane = composer.current?.closest<HTMLElement>('[data-pane]')
    // Fetched ahead: should that fail, it is fetched again for the first file.
    preparation().catch(() => {})
    let stop: (() => void) | undefined
    let gone = false
    import('./watchPane.ts').then(
      ({ watchPane }) => {
        if (pane && !gone) stop = watchPane(pane, { onOver: setOver, onFiles: (files) => void add(files) })
      },
      // Without it files are chosen by the button.
      () => {},
    )
    return () => {
      gone = true
      stop?.()
    }
  }, [add, composer])

  return {
    files: slots.map(({ file }) => file),
    preparing: waiting > 0,
    over,
    add: (chosen) => {
      if (chosen.length > 0) void add(chosen)
    },
    remove: (id) => {
      count.current--
      setSlots((now) => now.filter(({ file }) => file.id !== id))
    },
    clear: () => {
      count.current = 0
      setSlots([])
    },
    putBack: (back) => {
      count.current += back.length
      setSlots((now) => [...back.map((file) => ({ order: 0, file })), ...now])
    },
  }
}
