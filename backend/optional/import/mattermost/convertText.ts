import {
  cardColor,
  composeMessage,
  type Content,
} from '../../../../supabase/functions/_shared/composeMessage.ts'
import {
  isObject,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { link, plainText, webAddress } from '../../../../supabase/functions/_shared/slackMarkdown.ts'
import { keepNecessaryEscapes } from '../../../../wire/body/escapes.ts'
import type { MessageCard } from '../../../../wire/messages.ts'
import { cutText } from '../../../../wire/texts.ts'
import type { ConvertedText, Mapping } from '../ExportReader.ts'
import { convertMarkdown, maxFormatted, type References } from './convertMarkdown.ts'

/** What `convertText` needs of a post. */
export interface PostText {
  text: string
  /** Whether it describes what its author does. */
  isAction: boolean
  /** The team of its channel; empty in a conversation. */
  team: string
  /** The teams of the channels that it mentions, by the name of the channel. */
  teams: Record<string, string>
  attachments: PostAttachment[]
}

/** A part of a post of another service. Texts are Markdown of Mattermost, except for titles, authors and footers. */
export interface PostAttachment {
  fallback: string
  color: string
  pretext: string
  author: string
  authorLink: string
  title: string
  titleLink: string
  text: string
  fields: { title: string; value: string; isShort: boolean }[]
  picture: string
  footer: string
  /** In seconds. */
  at: number | null
}

const maxAttachments = 100
const maxFields = 50
const maxMentionedChannels = 100
/** Of a message. */
const maxCharacters = 20_000

/** Reads what `convertText` needs, so that nothing else of a post is stored until it is converted. */
export function readPostText(post: Fields, team: string): PostText {
  const props = isObject(post['props']) ? post['props'] : {}
  const mentioned = isObject(props['channel_mentions']) ? props['channel_mentions'] : {}
  const teams = Object.entries(mentioned).slice(0, maxMentionedChannels)
  const isAction = post['type'] === 'me'
  const written = typeof post['message'] === 'string' ? post['message'] : ''
  return {
    // The message has asterisks around it, for programs that do not know actions.
    text: isAction ? textOf(props['message']) || written.replace(/^\*([\s\S]*)\*$/, '$1') : written,
    isAction,
    team,
    teams: Object.fromEntries(
      teams.flatMap(([name, found]) => {
        const of = isObject(found) ? textOf(found['team_name']).toLowerCase() : ''
        return of === '' ? [] : [[name.toLowerCase(), of]]
      }),
    ),
    attachments: objectsOf(props['attachments'], maxAttachments).map(readAttachment),
  }
}

function readAttachment(attachment: Fields): PostAttachment {
  const text = (key: string): string => textOf(attachment[key])
  const at = Number(attachment['ts'])
  return {
    fallback: text('fallback'),
    color: text('color'),
    pretext: text('pretext'),
    author: text('author_name'),
    authorLink: text('author_link'),
    title: text('title'),
    titleLink: text('title_link'),
    text: text('text'),
    fields: objectsOf(attachment['fields'], maxFields).map(({ title, value, short }) => ({
      title: textOf(title),
      value: ['number', 'boolean'].includes(typeof value) ? String(value) : textOf(value),
      isShort: short === true,
    })),
    picture: text('image_url') || text('thumb_url'),
    footer: text('footer'),
    at: Number.isFinite(at) && at > 0 ? at : null,
  }
}

/** Whether a post shows anything besides its files. */
export function hasText({ text, attachments }: PostText): boolean {
  return text.trim() !== '' || attachments.some((one) => attachmentText(one) !== '')
}

function attachmentText({ pretext, text, title, author, fields, footer, fallback }: PostAttachment): string {
  const parts = fields.flatMap((field) => [field.title, field.value])
  return [pretext, text, title, author, footer, fallback, ...parts].join('')
}

/**
 * The Markdown of a post.
 * @param server the address of the Mattermost server, whose links to channels lead to the imported ones; null if it is not known
 * @param lines Markdown that follows the text
 */
export function convertText(
  post: PostText,
  mapping: Mapping,
  lines: readonly string[],
  server: string | null,
): ConvertedText {
  const references = createReferences(post, mapping, server)
  const convert = (text: string): string => convertMarkdown(text, references)
  const [first] = post.attachments
  const content: Content = {
    text: [convert(post.text), convert(first?.pretext ?? ''), lines.join('\n')].filter(Boolean).join('\n\n'),
    cards: post.attachments.map((attachment, at) => convertAttachment(attachment, at === 0, convert)),
  }
  const { body, cards, isCut } = composeMessage(content)
  const prefix = post.isAction && body !== '' ? '/me ' : ''
  const typed = prefix === '' ? body.replace(/^(?=\/me[ \t])/, '\\') : prefix + body
  const added = typed.length - body.length
  return {
    body: cutText(typed, maxCharacters),
    extras: cards === null ? null : { cards: { ...cards, start: cards.start + added } },
    // The signs of a text that is not formatted stay as they are, since the file is Markdown for people who read its source.
    whole: isCut ? (post.text.length > maxFormatted ? post.text : keepNecessaryEscapes(content.text)) : null,
  }
}

function createReferences(
  { team, teams }: PostText,
  { personId, channelId, site }: Mapping,
  server: string | null,
): References {
  return {
    person: personId,
    channel: (name) => channelId(`${Object.hasOwn(teams, name) ? teams[name]! : team}/${name}`),
    rewrite(address) {
      if (server === null || !address.startsWith(`${server}/`)) return null
      const [, of = '', name = ''] =
        /^\/([\w-]{1,64})\/channels\/([\w-]{1,64})\/?$/.exec(address.slice(server.length)) ?? []
      const id = name === '' ? null : channelId(`${of}/${name}`.toLowerCase())
      return id === null ? null : `${site}/c/${id}`
    },
  }
}

/** @param isFirst its beginning is a part of the text of the message */
function convertAttachment(
  attachment: PostAttachment,
  isFirst: boolean,
  convert: (text: string) => string,
): MessageCard {
  const { author, authorLink, title, titleLink, picture, fields, footer, fallback, at } = attachment
  const linked = (text: string, address: string): string =>
    text === '' ? '' : link(plainText(text), address)
  const before = isFirst ? '' : convert(attachment.pretext)
  const shown = webAddress(picture) === null ? '' : link(plainText(title || fallback), picture)
  const card: MessageCard = {
    author: linked(author, authorLink),
    title: linked(title, titleLink),
    text: [before, convert(attachment.text), shown].filter(Boolean).join('\n'),
    fields: fields.map((field) => convertField(field, convert)),
    footer: plainText(footer),
  }
  const isEmpty = attachmentText({ ...attachment, pretext: before, fallback: '' }) === '' && shown === ''
  const color = cardColor(attachment.color)
  const time = at === null ? null : new Date(at * 1_000)
  return {
    ...card,
    ...(isEmpty ? { text: convert(fallback) } : {}),
    ...(color === undefined ? {} : { color }),
    ...(time !== null && !isEmpty && time.getUTCFullYear() <= 9_999 ? { at: time.toISOString() } : {}),
  }
}

function convertField(
  { title, value, isShort }: PostAttachment['fields'][number],
  convert: (text: string) => string,
): NonNullable<MessageCard['fields']>[number] {
  return { name: plainText(title), value: convert(value), ...(isShort ? { short: true } : {}) }
}
