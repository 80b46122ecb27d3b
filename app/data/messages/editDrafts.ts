import { useCallback, useEffect, useRef, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { joinTexts } from '../mutations/joinTexts.ts'
import { editDraftKey } from '../persistence/deviceStorage.ts'
import { cancelWrite, readUnsavedDraft, writeNow, writeSoon } from '../persistence/draftWrites.ts'
import { getClientSession } from '../session/clientSession.ts'

/** The draft of an edit, which stays on this device. */
export interface EditDraft {
  /** What the field contains; null: the text of the message. */
  text: string | null
  setText: (text: string) => void
  /** The edit is cancelled: deletes its draft, unless that is not read yet and so was not seen. */
  discard: () => void
  /** Resolves when the stored draft is read: whether there was none, so that the field was shown as it is. */
  isComplete: () => Promise<boolean>
}

/** Of the field, for functions of an earlier render. */
interface FieldState {
  typed: string | null
  /** Whether the stored draft is read: what is stored before would be overwritten. */
  isRead: boolean
  reading: Promise<boolean>
}

/**
 * The draft of an edit of `original`. The field can be used before the stored draft is read, which may take long on a busy
 * device: what was typed until then is joined with it.
 */
export function useEditDraft(messageId: Uuid, original: string): EditDraft {
  const key = editDraftKey(messageId)
  const [text, setText] = useState<string | null>(null)
  const field = useRef<FieldState>({ typed: null, isRead: false, reading: Promise.resolve(true) })
  const first = useRef(original)
  const write = useCallback((next: string) => writeText(key, next, field.current, first.current), [key])

  useEffect(() => {
    const state = field.current
    let isShown = true
    const session = getClientSession()
    const unsaved = session && readUnsavedDraft(session.userId, key)
    const read = async (): Promise<string> => {
      if (unsaved?.from === null) return unsaved.text
      const stored = (await (await session?.device)?.readDraft(key)) ?? ''
      // It was typed before the stored draft was read.
      return unsaved ? joinTexts(unsaved.from, stored || unsaved.from, unsaved.text) : stored
    }
    state.reading = read()
      .catch(() => unsaved?.text ?? '')
      .then((stored) => {
        const { typed } = state
        state.isRead = true
        if (unsaved) write(stored)
        const isComplete = stored === ''
        if (typed === null) {
          if (isShown && !isComplete) setText(stored)
          return isComplete
        }
        const joined = isComplete ? typed : joinTexts(first.current, stored, typed)
        write(joined)
        if (isShown) setText(joined)
        else void writeNow(key)
        return isComplete
      })
    const writeAtOnce = () => void writeNow(key)
    document.addEventListener('visibilitychange', writeAtOnce)
    return () => {
      isShown = false
      document.removeEventListener('visibilitychange', writeAtOnce)
      void writeNow(key)
    }
  }, [key, write])

  return {
    text,
    setText: (next) => {
      field.current.typed = next
      setText(next)
      write(next)
    },
    discard: () => {
      field.current.typed = null
      setText(null)
      if (field.current.isRead) write('')
      else cancelWrite(key)
    },
    isComplete: () => field.current.reading,
  }
}

/** Stores a text as the draft of an edit. */
export async function storeEditDraft(messageId: Uuid, text: string): Promise<void> {
  const key = editDraftKey(messageId)
  cancelWrite(key)
  // On a full disk the draft does not survive a reload.
  await getClientSession()
    ?.device.then((device) => device.writeDraft(key, text))
    .catch(() => {})
}

function writeText(key: string, text: string, field: FieldState, original: string): void {
  const write = async (): Promise<void> => {
    // Once the stored draft is read, the field writes this text joined with it.
    if (!field.isRead) return void (await field.reading)
    await (await getClientSession()?.device)?.writeDraft(key, text)
  }
  const from = field.isRead ? null : original
  writeSoon(key, write, () => ({ text, from }))
}
