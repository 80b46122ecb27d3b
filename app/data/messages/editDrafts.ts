import { useCallback, useEffect, useRef, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { joinTexts } from '../mutations/joinTexts.ts'
import { editDraftKey, NO_DRAFT, type StoredDraft } from '../persistence/deviceStorage.ts'
import { cancelWrite, readUnsavedDraft, writeNow, writeSoon } from '../persistence/draftWrites.ts'
import { getClientSession } from '../session/clientSession.ts'
import { findLoadedMessage } from './findMessage.ts'

/** The draft of an edit, which stays on this device. */
export interface EditDraft {
  /** What the field contains, in the stored form as all texts here; null: the body of the message. */
  text: string | null
  /** Whether the message has changed since its edit began: another device has edited it. */
  isOutdated: boolean
  /** The person has seen the change, and the edit replaces it. */
  acceptChange: () => void
  setText: (text: string) => void
  /** The edit is cancelled: deletes its draft, unless that is not read yet and so was not seen. */
  discard: () => void
  /** Resolves when the stored draft is read: whether the field has been shown as it is, with the stored draft. */
  isComplete: () => Promise<boolean>
}

/** Of the field, for functions of an earlier render. */
interface FieldState {
  typed: string | null
  /** The body of the message when the edit began; null: not known, or nothing was typed. */
  base: string | null
  /** Whether the stored draft is read: what is stored before would be overwritten. */
  isRead: boolean
  reading: Promise<boolean>
}

/**
 * The draft of an edit of a message with this body. The field can be used before the stored draft is read, which may take
 * long on a busy device. The text that is typed until then is joined with the stored draft.
 */
export function useEditDraft(messageId: Uuid, body: string): EditDraft {
  const key = editDraftKey(messageId)
  const [text, setText] = useState<string | null>(null)
  const [base, setBase] = useState<string | null>(null)
  const field = useRef<FieldState>({ typed: null, base: null, isRead: false, reading: Promise.resolve(true) })
  const first = useRef(body)
  const write = useCallback((next: string) => writeText(key, next, field.current, first.current), [key])

  useEffect(() => {
    const state = field.current
    let isShown = true
    const session = getClientSession()
    const unsaved = session && readUnsavedDraft(session.userId, key)
    const copy = unsaved && { text: unsaved.text, base: unsaved.base ?? null }
    const read = async (): Promise<StoredDraft> => {
      if (copy && unsaved.from === null) return copy
      const stored = (await (await session?.device)?.readDraft(key)) ?? NO_DRAFT
      if (!unsaved) return stored
      // It was typed before the stored draft was read.
      const from = unsaved.from ?? ''
      return {
        text: joinTexts(from, stored.text || from, unsaved.text),
        base: stored.base ?? unsaved.base ?? null,
      }
    }
    state.reading = read()
      .catch(() => copy ?? NO_DRAFT)
      .then(({ text: stored, base: storedBase }) => {
        const { typed } = state
        state.isRead = true
        state.base = storedBase ?? state.base
        if (isShown) setBase(state.base)
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

  const begin = (from: string | null) => {
    field.current.base = from
    setBase(from)
  }
  return {
    text,
    isOutdated: text !== null && base !== null && base !== body,
    acceptChange: () => {
      begin(body)
      if (text !== null) write(text)
    },
    setText: (next) => {
      if (field.current.base === null) begin(body)
      field.current.typed = next
      setText(next)
      write(next)
    },
    discard: () => {
      field.current.typed = null
      begin(null)
      setText(null)
      if (field.current.isRead) write('')
      else cancelWrite(key)
    },
    isComplete: async () => field.current.isRead || field.current.reading,
  }
}

/** Stores a text as the draft of an edit of a message. */
export async function storeEditDraft(messageId: Uuid, text: string): Promise<void> {
  const key = editDraftKey(messageId)
  const session = getClientSession()
  const base = session ? (findLoadedMessage(session, messageId)?.body ?? null) : null
  cancelWrite(key)
  // On a full disk the draft does not survive a reload.
  await session?.device.then((device) => device.writeDraft(key, { text, base })).catch(() => {})
}

function writeText(key: string, text: string, field: FieldState, original: string): void {
  const write = async (): Promise<void> => {
    // Once the stored draft is read, the field writes this text joined with it.
    if (!field.isRead) return void (await field.reading)
    await (await getClientSession()?.device)?.writeDraft(key, { text, base: field.base })
  }
  const from = field.isRead ? null : original
  writeSoon(key, write, () => ({ text, from, ...(field.base === null ? {} : { base: field.base }) }))
}
