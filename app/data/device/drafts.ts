import { useEffect, useState } from 'react'
import type { Uuid } from '../../../wire/linnet.ts'
import { draftPlace, editPlace } from './device.ts'
import { running } from '../runtime.ts'

export interface Draft {
  /** Null until read from this device. */
  text: string | null
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

function useDraftAt(place: string): Draft {
  const [draft, setDraft] = useState<{ place: string; text: string } | null>(null)

  useEffect(() => {
    let gone = false
    const waiting = writing.get(place)?.text
    const read = async () => waiting ?? (await (await running()?.device)?.draft(place)) ?? ''
    void read()
      .catch(() => '')
      .then((text) => {
        // What was typed meanwhile wins over what was kept.
        if (!gone) setDraft((now) => (now?.place === place ? now : { place, text }))
      })
    const hide = () => void keep(place)
    document.addEventListener('visibilitychange', hide)
    return () => {
      gone = true
      document.removeEventListener('visibilitychange', hide)
      void keep(place)
    }
  }, [place])

  return {
    text: draft?.place === place ? draft.text : null,
    setText: (text) => {
      setDraft({ place, text })
      keepSoon(place, text)
    },
    clear: () => setDraft({ place, text: '' }),
  }
}
