import { useEffect, useRef, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { joinTexts } from '../mutations/joinTexts.ts'
import { editDraftKey } from '../persistence/deviceStorage.ts'
import { cancelWrite, textToWrite, writeNow, writeSoon } from '../persistence/draftWrites.ts'
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

  useEffect(() => {
    const state = field.current
    let isShown = true
    const waiting = textToWrite(key)
    const read = async () => waiting ?? (await (await getClientSession()?.device)?.readDraft(key)) ?? ''
    state.reading = read()
      .catch(() => '')
      .then((stored) => {
        const { typed } = state
        state.isRead = true
        const isComplete = stored === ''
        if (typed === null) {
          if (isShown && !isComplete) setText(stored)
          return isComplete
        }
        const joined = isComplete ? typed : joinTexts(first.current, stored, typed)
        writeText(key, joined)
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
  }, [key])

  return {
    text,
    setText: (next) => {
      field.current.typed = next
      setText(next)
      if (field.current.isRead) writeText(key, next)
    },
    discard: () => {
      field.current.typed = null
      setText(null)
      if (field.current.isRead) writeText(key, '')
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

function writeText(key: string, text: string): void {
  writeSoon(key, async () => (await getClientSession()?.device)?.writeDraft(key, text), text)
}
