import { useEffect, useRef, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { draftKey, editDraftKey } from './deviceStorage.ts'
import { getClientSession } from '../session/clientSession.ts'

export interface Draft {
  /** Until the stored draft is loaded: the text typed since the field appeared. */
  text: string
  /** Whether the stored draft is loaded; it is inserted before what was typed meanwhile. */
  isLoaded: boolean
  setText: (text: string) => void
  /** Empties the field. `replaceDraft` deletes the stored draft. */
  clear: () => void
}

/** Milliseconds between a key stroke and the write. */
const WRITE_DELAY_MS = 300
const writing = new Map<string, { text: string; timer: ReturnType<typeof setTimeout> }>()
/** Drafts that are being replaced by a message or edit, by key. */
const sending = new Map<string, Promise<unknown>>()

async function writeNow(key: string): Promise<void> {
  const waiting = writing.get(key)
  if (!waiting) return
  clearTimeout(waiting.timer)
  writing.delete(key)
  try {
    // Text typed since then belongs to the next message.
    await sending.get(key)
    await (await getClientSession()?.device)?.writeDraft(key, waiting.text)
  } catch {
    // On a full disk the draft does not survive a reload; the field keeps its text.
  }
}

/** Writes all drafts at once: the page is about to reload. */
export async function flushDrafts(): Promise<void> {
  await Promise.all(Array.from(writing.keys(), writeNow))
}

function writeSoon(key: string, text: string) {
  clearTimeout(writing.get(key)?.timer)
  writing.set(key, { text, timer: setTimeout(() => void writeNow(key), WRITE_DELAY_MS) })
}

/**
 * Runs `store`, which stores the text elsewhere and deletes its draft. Until then the draft contains all of the text, so
 * that nothing is lost if the page ends before.
 */
export async function replaceDraft<T>(key: string, store: () => Promise<T>): Promise<T> {
  const stored = writeNow(key).then(store)
  const ended = stored.catch(() => {})
  sending.set(key, ended)
  try {
    return await stored
  } finally {
    if (sending.get(key) === ended) sending.delete(key)
  }
}

/** The stored draft of a channel or thread. */
export function useDraft(channelId: Uuid, threadRoot: Uuid | null = null): Draft {
  return useDraftAt(draftKey(channelId, threadRoot))
}

/** The stored draft of an edit; empty: none. */
export function useEditDraft(messageId: Uuid): Draft {
  return useDraftAt(editDraftKey(messageId))
}

/** Stores a text as the draft of an edit. */
export async function storeEditDraft(messageId: Uuid, text: string): Promise<void> {
  const key = editDraftKey(messageId)
  clearTimeout(writing.get(key)?.timer)
  writing.delete(key)
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
    const waiting = writing.get(key)?.text
    const read = async () => waiting ?? (await (await getClientSession()?.device)?.readDraft(key)) ?? ''
    void read()
      .catch(() => '')
      .then((stored) => {
        // The caret of a new field is at its end: text typed meanwhile follows the draft.
        const text = stored + field.typed
        field.stored = stored
        if (field.typed !== '') writeSoon(key, text)
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
      if (text !== null) writeSoon(key, text)
    },
    clear: () => void show(''),
  }
}
