import { useEffect, useRef, useState } from 'react'
import type { Uuid } from '../../../wire/linnet.ts'
import { draftPlace, editPlace } from './deviceStorage.ts'
import { running } from '../session/clientSession.ts'

export interface Draft {
  /** Until the draft is loaded, what was typed since the field appeared. */
  text: string
  /** Whether the stored draft has been read from this device, and stands before what was typed meanwhile. */
  isLoaded: boolean
  setText: (text: string) => void
  /** Empties the field; the draft on the device goes with what stores its text elsewhere. */
  clear: () => void
}

/** Milliseconds that key strokes are gathered before they are written. */
const PAUSE = 300
const writing = new Map<string, { text: string; timer: ReturnType<typeof setTimeout> }>()
/** Places whose draft is about to be deleted with the message that it became. */
const sending = new Map<string, Promise<unknown>>()

async function keep(place: string): Promise<void> {
  const waiting = writing.get(place)
  if (!waiting) return
  clearTimeout(waiting.timer)
  writing.delete(place)
  try {
    // What was typed since belongs to the next message.
    await sending.get(place)
    await (await running()?.device)?.keepDraft(place, waiting.text)
  } catch {
    // A full disk costs the draft of a reload; what is on the screen stays.
  }
}

/** Writes at once what is being typed anywhere: the page is about to start again. */
export async function keepDrafts(): Promise<void> {
  await Promise.all(Array.from(writing.keys(), keep))
}

function keepSoon(place: string, text: string) {
  clearTimeout(writing.get(place)?.timer)
  writing.set(place, { text, timer: setTimeout(() => void keep(place), PAUSE) })
}

/**
 * Runs what stores a text elsewhere and deletes its draft. Until then the draft holds all of the text: should the page
 * end before, nothing is lost.
 */
export async function replaceDraft<T>(place: string, store: () => Promise<T>): Promise<T> {
  const stored = keep(place).then(store)
  const ended = stored.catch(() => {})
  sending.set(place, ended)
  try {
    return await stored
  } finally {
    if (sending.get(place) === ended) sending.delete(place)
  }
}

/** What was typed and not sent, kept on this device, one a channel and one a thread. */
export function useDraft(channelId: Uuid, threadRoot: Uuid | null = null): Draft {
  return useDraftAt(draftPlace(channelId, threadRoot))
}

/** What was changed of a message and not saved, kept on this device; empty where nothing was. */
export function useEditDraft(messageId: Uuid): Draft {
  return useDraftAt(editPlace(messageId))
}

/** Keeps words as the draft of a change of a message, which opens with them. */
export async function keepEditDraft(messageId: Uuid, text: string): Promise<void> {
  const place = editPlace(messageId)
  clearTimeout(writing.get(place)?.timer)
  writing.delete(place)
  // A full disk costs the draft of a reload.
  await running()
    ?.device.then((device) => device.keepDraft(place, text))
    .catch(() => {})
}

interface Field {
  /** What the field contained before the draft was read. */
  typed: string
  /** Null until read. */
  stored: string | null
}

function useDraftAt(place: string): Draft {
  const [draft, setDraft] = useState({ place, text: '', isLoaded: false })
  const fieldRef = useRef<Field>({ typed: '', stored: null })

  useEffect(() => {
    let isCurrent = true
    const field: Field = { typed: '', stored: null }
    fieldRef.current = field
    const waiting = writing.get(place)?.text
    const read = async () => waiting ?? (await (await running()?.device)?.draft(place)) ?? ''
    void read()
      .catch(() => '')
      .then((stored) => {
        // The caret of a field that has just appeared is at its end: what was typed meanwhile follows the draft.
        const text = stored + field.typed
        field.stored = stored
        if (field.typed !== '') keepSoon(place, text)
        if (isCurrent) setDraft({ place, text, isLoaded: true })
        else void keep(place)
      })
    const hide = () => void keep(place)
    document.addEventListener('visibilitychange', hide)
    return () => {
      isCurrent = false
      document.removeEventListener('visibilitychange', hide)
      void keep(place)
    }
  }, [place])

  const isCurrent = draft.place === place
  const isLoaded = isCurrent && draft.isLoaded
  /** Takes what the field contains, which lacks the stored draft until the field has been rendered with it. */
  const show = (shown: string) => {
    const field = fieldRef.current
    const text = isLoaded ? shown : (field.stored ?? '') + shown
    const isNowLoaded = isLoaded || field.stored !== null
    // Not stored before the draft is read: it would be overwritten.
    if (!isNowLoaded) field.typed = text
    setDraft({ place, text, isLoaded: isNowLoaded })
    return isNowLoaded ? text : null
  }
  return {
    text: isCurrent ? draft.text : '',
    isLoaded,
    setText: (shown) => {
      const text = show(shown)
      if (text !== null) keepSoon(place, text)
    },
    clear: () => void show(''),
  }
}
