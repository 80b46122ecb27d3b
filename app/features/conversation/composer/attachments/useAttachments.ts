import { i18n } from '@lingui/core'
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { LIMITS } from '../../../../../wire/limits.ts'
import { failureFrom } from '../../../../data/failures/failures.ts'
import type { Failure } from '../../../../data/failures/failures.ts'
import type { PreparedFile } from '../../../../data/files/upload/prepareFile.ts'
import {
  attachedFiles,
  changeAttachedFiles,
  useAttachedFiles,
} from '../../../../data/messages/attachedFiles.ts'
import { useToast } from '../../../../ui/toast.ts'

interface Options {
  /** Files that the message has already. */
  taken?: number
  /** Gets a sentence about files that were not added, for a dialog that shows it among its fields; by default a toast does. */
  report?: (text: string) => void
}

export interface Attachments {
  files: PreparedFile[]
  /** Files that may contain the place where they were taken: the person decides whether to attach them. */
  undecided: PreparedFile[]
  /** Attaches the undecided files, or removes them. */
  decide: (isAttached: boolean) => void
  /** Files are being read and measured. */
  preparing: boolean
  /** A file is being dragged over the pane. */
  isDraggedOver: boolean
  add: (files: File[]) => void
  remove: (id: string) => void
  /** Empties the list once the message is queued. */
  clear: () => void
  restore: (files: PreparedFile[]) => void
}

/** Of the file that was chosen last, in any conversation. */
let lastOrder = 0

function nextOrder(): number {
  lastOrder += 1
  return lastOrder
}

/** Loaded after the first messages, but before the device may go offline. */
const loadPreparation = () => import('../../../../data/files/upload/prepareFile.ts')
const loadDropTarget = () => import('./watchDroppedFiles.ts')

/**
 * The files of the message that is being written: chosen, pasted, or dropped anywhere on the pane (`[data-pane]`)
 * around the composer. `key`: of the message, see `attachedFiles`.
 */
export function useAttachments(
  composer: RefObject<HTMLElement | null>,
  key: string,
  { taken = 0, report }: Options = {},
): Attachments {
  const showToast = useToast()
  const attached = useAttachedFiles(key)
  const [waiting, setWaiting] = useState(0)
  const [isDraggedOver, setDraggedOver] = useState(false)
  const preparing = useRef(0)

  const add = useCallback(
    async (chosen: File[]) => {
      const free = LIMITS.attachments - taken - attachedFiles(key).length - preparing.current
      const accepted = chosen.slice(0, Math.max(0, free))
      preparing.current += accepted.length
      setWaiting(preparing.current)
      const failures: Failure[] = []
      await Promise.all(
        accepted.map(async (file) => {
          const order = nextOrder()
          const outcome = await loadPreparation().then(
            ({ prepareFile }) => prepareFile(file),
            (error: unknown) => ({ ok: false as const, failure: failureFrom(error) }),
          )
          preparing.current--
          setWaiting(preparing.current)
          if (!outcome.ok) return failures.push(outcome.failure)
          const { file: prepared, mayHaveLocation } = outcome.value
          const added = { order, file: prepared, isUndecided: mayHaveLocation }
          return changeAttachedFiles(key, (files) => [...files, added])
        }),
      )
      const sentences = failures.map((one) => one.message)
      if (chosen.length === 0) sentences.push(i18n._('That folder has no files.'))
      if (accepted.length < chosen.length) {
        sentences.unshift(
          i18n._('You can attach up to {most} files. {taken} of {chosen} were added.', {
            most: LIMITS.attachments,
            taken: accepted.length,
            chosen: chosen.length,
          }),
        )
      }
      if (sentences.length === 0) return
      const text = sentences.join(' ')
      if (report) report(text)
      else showToast({ text })
    },
    [key, showToast, taken, report],
  )

  useEffect(() => {
    const pane = composer.current?.closest<HTMLElement>('[data-pane]')
    // Preloaded; if that fails, it is loaded again for the first file.
    loadPreparation().catch(() => {})
    let stop: (() => void) | undefined
    let isUnmounted = false
    loadDropTarget().then(
      ({ watchDroppedFiles }) => {
        if (pane && !isUnmounted)
          stop = watchDroppedFiles(pane, { onOver: setDraggedOver, onFiles: (files) => void add(files) })
      },
      // Without it, files can still be chosen with the button.
      () => {},
    )
    return () => {
      isUnmounted = true
      stop?.()
    }
  }, [add, composer])

  const undecided = attached.filter(({ isUndecided }) => isUndecided)
  return {
    files: attached.filter(({ isUndecided }) => !isUndecided).map(({ file }) => file),
    undecided: undecided.map(({ file }) => file),
    decide: (isAttached) =>
      changeAttachedFiles(key, (files) =>
        isAttached
          ? files.map((one) => ({ ...one, isUndecided: false }))
          : files.filter(({ isUndecided }) => !isUndecided),
      ),
    preparing: waiting > 0,
    isDraggedOver,
    add: (chosen) => {
      if (chosen.length > 0) void add(chosen)
    },
    remove: (id) => changeAttachedFiles(key, (files) => files.filter(({ file }) => file.id !== id)),
    clear: () => changeAttachedFiles(key, () => []),
    restore: (restored) =>
      changeAttachedFiles(key, (files) => [...restored.map((file) => ({ order: 0, file })), ...files]),
  }
}
