import { useEffect, useRef, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { editDraftKey } from '../persistence/deviceStorage.ts'
import { cancelWrite, textToWrite, writeNow, writeSoon } from '../persistence/drafts.ts'
import { getClientSession } from '../session/clientSession.ts'

/** The draft of an edit, which stays on this device. */
export interface Draft {
  /** Until the stored draft is loaded: the text typed since the field appeared. */
  text: string
  /** Whether the stored draft is loaded; it is inserted before what was typed meanwhile. */
  isLoaded: boolean
  setText: (text: string) => void
  /** Empties the field. `replaceDraft` deletes the stored draft. */
  clear: () => void
}

/** The stored draft of an edit; empty: none. */
export function useEditDraft(messageId: Uuid): Draft {
  return useDraftAt(editDraftKey(messageId))
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

interface FieldState {
  /** What the field contained before the draft was read. */
  typed: string
  /** Null until read. */
  stored: string | null
}

function useDraftAt(key: string): Draft {
  const [draft, setDraft] = useState({ key, text: '', isLoaded: false })
  const fieldRef = useRef<FieldState>({ typed: '', stored: null })

  useEffect(() => {
    let isCurrent = true
    const field: FieldState = { typed: '', stored: null }
    fieldRef.current = field
    const waiting = textToWrite(key)
    const read = async () => waiting ?? (await (await getClientSession()?.device)?.readDraft(key)) ?? ''
    void read()
      .catch(() => '')
      .then((stored) => {
        // The caret of a new field is at its end: text typed meanwhile follows the draft.
        const text = stored + field.typed
        field.stored = stored
        if (field.typed !== '') writeText(key, text)
        if (isCurrent) setDraft({ key, text, isLoaded: true })
        else void writeNow(key)
      })
    const writeAtOnce = () => void writeNow(key)
    document.addEventListener('visibilitychange', writeAtOnce)
    return () => {
      isCurrent = false
      document.removeEventListener('visibilitychange', writeAtOnce)
      void writeNow(key)
    }
  }, [key])

  const isCurrent = draft.key === key
  const isLoaded = isCurrent && draft.isLoaded
  /** Receives the text of the field, which lacks the stored draft until the field has been rendered with it. */
  const show = (shown: string) => {
    const field = fieldRef.current
    const text = isLoaded ? shown : (field.stored ?? '') + shown
    const isNowLoaded = isLoaded || field.stored !== null
    // Not stored before the draft is read: it would be overwritten.
    if (!isNowLoaded) field.typed = text
    setDraft({ key, text, isLoaded: isNowLoaded })
    return isNowLoaded ? text : null
  }
  return {
    text: isCurrent ? draft.text : '',
    isLoaded,
    setText: (shown) => {
      const text = show(shown)
      if (text !== null) writeText(key, text)
    },
    clear: () => void show(''),
  }
}

function writeText(key: string, text: string): void {
  writeSoon(key, async () => (await getClientSession()?.device)?.writeDraft(key, text), text)
}
