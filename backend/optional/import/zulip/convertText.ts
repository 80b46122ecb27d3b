import { composeMessage } from '../../../../supabase/functions/_shared/composeMessage.ts'
import { emphasize, link, plainText } from '../../../../supabase/functions/_shared/slackMarkdown.ts'
import { keepNecessaryEscapes } from '../../../../wire/body/escapes.ts'
import { cutText } from '../../../../wire/texts.ts'
import type { ConvertedText, Mapping } from '../ExportReader.ts'
import type { Conversations } from './createConversations.ts'
import { convertMarkdown, type MarkdownTarget } from './convertMarkdown.ts'
import type { ZulipRealm } from './readRealm.ts'

/** What a message of Zulip has besides its author and time. It is stored as JSON between reading and converting. */
export interface ZulipText {
  content: string
  /** The key of the author. */
  sender: string
  /** The name of the topic, which the first message of a thread shows; empty for other messages. */
  title: string
  /** The addresses of the server as the message has them, such as `https://chat.example.org`. */
  origins: string[]
}

/** Longer texts are attached as they are: Zulip permits 10,000 characters unless its operator has changed this. */
const maxConverted = 25_000
/** Of a message. */
const maxCharacters = 20_000

/** Where the converter finds people and conversations of the export. */
export interface TextContext {
  realm: Pick<ZulipRealm, 'people' | 'peopleByName' | 'streamsByName' | 'emojiNames'>
  conversations: Pick<Conversations, 'findTopic' | 'channelOfTopic' | 'findDirect'>
}

/** The Markdown of a message, with mentions and links of the workspace. */
export function convertText(
  { content, sender, title, origins }: ZulipText,
  context: TextContext,
  mapping: Mapping,
  lines: readonly string[],
): ConvertedText {
  const target = createTarget({ ...context, mapping, sender, origins })
  const isLong = content.length > maxConverted
  const text = convertContent(isLong ? cutText(content, maxConverted) : content, target)
  const author = mapping.personId(sender)
  const isAction = /^\/me (?=.*\S)/.test(content)
  // An action begins the message. Below a title its author is mentioned instead.
  const name = author === null ? '/me' : `<@${author}>`
  const shown = isAction && title !== '' ? text.replace(/^\/me/, () => name) : text
  const whole = [title === '' ? '' : emphasize(plainText(title), '**'), shown].filter(Boolean).join('\n')
  const all = [whole, lines.join('\n')].filter(Boolean).join('\n\n')
  const { body, isCut } = composeMessage({ text: all, cards: [] })
  return {
    body: cutText(body, maxCharacters),
    extras: null,
    whole: isLong ? content : isCut ? keepNecessaryEscapes(all) : null,
  }
}

/** The paths of the uploads that a text links to, each once. */
export function uploadsOf(content: string, origins: readonly string[]): string[] {
  if (!content.includes('user_uploads/')) return []
  const found = new Set<string>()
  convertContent(cutText(content, maxConverted), {
    person: () => null,
    place: () => null,
    emoji: () => null,
    address: (address) => uploadAt(address, origins),
    onUpload: (path) => found.add(path),
  })
  return [...found]
}

/** Whether a text is a poll or a list of tasks. */
export function widgetOf(content: string): 'poll' | 'todo' | null {
  return (/^\/(poll|todo)(?=\s|$)/.exec(content)?.[1] ?? null) as 'poll' | 'todo' | null
}

function convertContent(content: string, target: MarkdownTarget): string {
  const widget = widgetOf(content)
  if (widget === null) return convertMarkdown(content, target)
  const [title = '', ...items] = content
    .slice('/poll'.length)
    .split('\n')
    .map((line) => line.trim())
  const mark = widget === 'poll' ? '- ' : '- [ ] '
  const heading = title || (widget === 'poll' ? 'Poll' : 'Task list')
  return [
    `${widget === 'poll' ? '📊 ' : ''}${emphasize(plainText(heading), '**')}`,
    ...items.filter(Boolean).map((item) => mark + plainText(item)),
  ].join('\n')
}

const wildcards = new Set(['all', 'everyone', 'channel', 'stream'])

function createTarget({
  realm,
  conversations,
  mapping,
  sender,
  origins,
}: TextContext & { mapping: Mapping; sender: string; origins: readonly string[] }): MarkdownTarget {
  const { site } = mapping
  const pageOf = (channel: string, message: string | null): string | null => {
    const id = mapping.channelId(channel)
    if (id === null) return null
    return `${site}/c/${id}${message === null ? '' : `/m/${mapping.messageId(channel, message)}`}`
  }
  /** The page of a message, or of a topic if there is none. */
  const topicPage = (stream: number, topic: string | null, message: string | null): string | null => {
    const found = topic === null ? null : conversations.findTopic(stream, topic)
    const channel = conversations.channelOfTopic(stream, topic ?? '')
    return pageOf(channel, message ?? found?.root?.key ?? null)
  }
  return {
    person(text, isSilent) {
      const [, name = '', id] = /^(.*?)(?:\|(\d{1,12}))?$/.exec(text) ?? []
      if (wildcards.has(text)) return isSilent ? plainText(text) : '<!channel>'
      if (text === 'topic') return plainText(isSilent ? text : '@topic')
      const key = id ?? realm.peopleByName.get(name) ?? null
      const person = key === null ? undefined : realm.people.get(key)
      const profile = key === null ? null : mapping.personId(key)
      if (person === undefined || profile === null) return null
      return isSilent ? link(plainText(person.name), `${site}/people/${profile}`) : `<@${profile}>`
    },
    place(name, topic, message) {
      const stream = realm.streamsByName.get(name)
      if (stream === undefined) return null
      const label = plainText(topic === null ? `#${name}` : `#${name} > ${topic || 'general chat'}`)
      const channel = conversations.channelOfTopic(stream, topic ?? '')
      const hasMessage = message !== null || (topic !== null && conversations.findTopic(stream, topic)?.root)
      if (hasMessage) return link(label, topicPage(stream, topic, message) ?? '')
      const id = mapping.channelId(channel)
      return id === null ? label : `<#${id}>`
    },
    address(address) {
      const upload = uploadAt(address, origins)
      if (upload !== null) return upload
      const local = localPart(address, origins)
      const narrow = /^\/?#narrow\/(.{1,2000})$/.exec(local ?? '')?.[1]
      if (narrow === undefined) return null
      const parts = narrow.split('/')
      const valueOf = (...names: string[]): string | null => {
        const at = parts.findIndex((part, index) => index % 2 === 0 && names.includes(part))
        return at < 0 ? null : decodeHash(parts[at + 1] ?? '')
      }
      const message = /^\d{1,12}$/.exec(valueOf('near', 'id') ?? '')?.[0] ?? null
      const direct = valueOf('dm', 'pm-with')
      if (direct !== null) {
        const people = /^[\d,]+/.exec(direct)?.[0].split(',').filter(Boolean) ?? []
        const channel = conversations.findDirect(people, sender)
        const page = channel === null ? null : pageOf(channel, message)
        return page === null ? null : { page }
      }
      const name = valueOf('channel', 'stream')
      if (name === null) return null
      const id = /^(\d{1,12})(?:-|$)/.exec(name)?.[1]
      const stream = id === undefined ? realm.streamsByName.get(name) : Number(id)
      const page = stream === undefined ? null : topicPage(stream, valueOf('topic', 'subject'), message)
      return page === null ? null : { page }
    },
    emoji: (name) => realm.emojiNames.get(name) ?? null,
    onUpload() {},
  }
}

/** An address without the server of the export; null for one of another server. */
function localPart(address: string, origins: readonly string[]): string | null {
  if (/^\/?(?:#narrow|user_uploads)\//.test(address)) return address
  const origin = origins.find((one) => address.startsWith(`${one}/`))
  return origin === undefined ? null : address.slice(origin.length)
}

function uploadAt(address: string, origins: readonly string[]): { upload: string } | null {
  const path = /^\/?user_uploads\/(?:download\/)?([^?#]{1,1000})/.exec(localPart(address, origins) ?? '')?.[1]
  if (path === undefined) return null
  try {
    return { upload: decodeURIComponent(path) }
  } catch {
    return { upload: path }
  }
}

/** A part of an address of Zulip, which has dots in place of percent signs. */
function decodeHash(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll(/\.(?=[\dA-Fa-f]{2})/g, '%'))
  } catch {
    return part
  }
}
