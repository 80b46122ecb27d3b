import type { DeclarativePushMessage, PushPayload } from '../../../wire/push.ts'
import { pushText } from '../../../wire/pushText.ts'
import { cutText } from '../../../wire/texts.ts'
import { messageLine } from '../_shared/messageLine.ts'
import { maxPayloadBytes } from './encryptPayload.ts'

/** What the database sends of a notification; see `app.push_content`. */
export interface Content {
  kind: 'message' | 'reminder' | 'test'
  urgent: boolean
  /** Of the conversation: a later notification replaces the earlier one. */
  tag: string
  /** Of the reader's browser. */
  language: string
  /** By which the browser reports that it showed this. */
  token: string
  message?: string
  seq?: number
  channel?: string
  thread?: string | null
  /** Of a reminder: which one, and when it was due. */
  reminder?: string
  at?: string
  title?: string
  lines?: { author: string | null; text: string }[]
  /** The messages of these lines. */
  messages?: string[]
  /** Tags of notifications that are no longer current. */
  close?: string[]
}

/** Some push services accept less than 4096 bytes with the encryption. */
const targetBytes = Math.min(3_000, maxPayloadBytes)
const maxLineCharacters = 200
const maxShortCharacters = 40

/** How a browser receives its messages. */
export interface Recipient {
  /** Where the browser reports that it showed the notification. */
  report: string
  /** The address of the application if the browser knows declarative messages; null: it does not. */
  site: string | null
}

/** The page that a notification opens, below the address of the application. */
function pathOf({ kind, channel, thread }: Content): string {
  if (kind === 'test') return '/settings/notifications'
  if (kind === 'reminder') return '/saved'
  if (channel === undefined) return '/'
  const conversation = `/c/${encodeURIComponent(channel)}`
  return thread ? `${conversation}/t/${encodeURIComponent(thread)}` : conversation
}

/** The message in which the notification itself contains its texts, and the rest is data for the service worker. */
function declare({ title, lines, ...data }: PushPayload, navigate: string): DeclarativePushMessage {
  const text = pushText({ ...data, ...(title !== undefined && { title }), ...(lines && { lines }) })
  return {
    web_push: 8030,
    notification: { ...text, lang: data.language, tag: data.tag, navigate, data },
    mutable: true,
  }
}

/**
 * The JSON that a browser receives, below 3 KB: lines and names are cut where necessary.
 * @param isShort after a push service refused more
 */
export function notificationPayload(given: Content, { report, site }: Recipient, isShort: boolean): string {
  const { urgent: _, ...content } = given
  const write = (max: number, lines: number, closed: number): string => {
    const payload: PushPayload = {
      ...content,
      report,
      ...(content.title === undefined ? {} : { title: cutText(content.title, Math.min(max, 80), '…') }),
      ...(content.lines === undefined
        ? {}
        : {
            lines: content.lines.slice(-lines).map(({ author, text }) => ({
              author: author === null ? null : cutText(author, Math.min(max, 80), '…'),
              text: cutText(messageLine(text), max, '…'),
            })),
          }),
      ...(content.messages === undefined ? {} : { messages: content.messages.slice(-lines) }),
      ...(content.close === undefined ? {} : { close: content.close.slice(0, closed) }),
    }
    return JSON.stringify(site === null ? payload : declare(payload, `${site}${pathOf(given)}`))
  }
  if (!isShort) {
    for (const max of [maxLineCharacters, 100]) {
      const payload = write(max, 3, 20)
      if (new TextEncoder().encode(payload).byteLength <= targetBytes) return payload
    }
  }
  return write(maxShortCharacters, 1, isShort ? 0 : 20)
}
