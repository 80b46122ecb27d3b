import { useEffect, useRef, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { draftKey, editDraftKey } from './deviceStorage.ts'
import { getClientSession } from '../session/clientSession.ts'

export interface Draft {
  /** Until the draft is loaded, what was typed since the field appeared. */
  text: string
  /** Whether the stored draft has been read from this device, and stands before what was typed meanwhile. */
  isLoaded: boolean
  setText: (text: string) => void
  /** Empties the field; the draft on the device goes with what stores its text elsewhere. */
  clear: () => void
}

/** Milliseconds for which key strokes are gathered before they are written. */
const WRITE_DELAY_MS = 300
const writing = new Map<string, { text: string; timer: ReturnType<typeof setTimeout> }>()
/** Places whose draft is about to be deleted with the message that it became. */
const sending = new Map<string, Promise<unknown>>()

async function writeNow(key: string): Promise<void> {
  const waiting = writing.get(key)
  if (!waiting) return
  clearTimeout(waiting.timer)
  writing.delete(key)
  try {
    // What was typed since belongs to the next message.
    await sending.get(key)
    await (await getClientSession()?.device)?.writeDraft(key, waiting.text)
  } catch {
    // A full disk costs the draft of a reload; what is on the screen stays.
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
 * Runs what stores a text elsewhere and deletes its draft. Until then the draft holds all of the text: should the page
 * end before, nothing is lost.
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

/** What was typed and not sent, kept on this device, one a channel and one a thread. */
export function useDraft(channelId: Uuid, threadRoot: Uuid | null = null): Draft {
  return useDraftAt(draftKey(channelId, threadRoot))
}

/** What was changed of a message and not saved, kept on this device; empty where nothing was. */
export function useEditDraft(messageId: Uuid): Draft {
  return useDraftAt(editDraftKey(messageId))
}

/** Keeps words as the draft of a change of a message, which opens with them. */
export async function storeEditDraft(messageId: Uuid, text: string): Promise<void> {
  const key = editDraftKey(messageId)
  clearTimeout(writing.get(key)?.timer)
  writing.delete(key)
  // A full disk costs the draft of a reload.
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
  const [draft, setDraft] = useState({ place: key, text: '', isLoaded: false })
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
        // The caret of a field that has just appeared is at its end: what was typed meanwhile follows the draft.
        const text = stored + field.typed
        field.stored = stored
        if (field.typed !== '') writeSoon(key, text)
        if (isCurrent) setDraft({ place: key, text, isLoaded: true })
        else void writeNow(key)
      })
    const hide = () => void writeNow(key)
    document.addEventListener('visibilitychange', hide)
    return () => {
      isCurrent = false
      document.removeEventListener('visibilitychange', hide)
      void writeNow(key)
    }
  }, [key])

  const isCurrent = draft.place === key
  const isLoaded = isCurrent && draft.isLoaded
  /** Takes what the field contains, which lacks the stored draft until the field has been rendered with it. */
  const show = (shown: string) => {
    const field = fieldRef.current
    const text = isLoaded ? shown : (field.stored ?? '') + shown
    const isNowLoaded = isLoaded || field.stored !== null
    // Not stored before the draft is read: it would be overwritten.
    if (!isNowLoaded) field.typed = text
    setDraft({ place: key, text, isLoaded: isNowLoaded })
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
