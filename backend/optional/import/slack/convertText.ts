import { composeMessage, type Content } from '../../../../supabase/functions/_shared/composeMessage.ts'
import { emojiNamed } from '../../../../supabase/functions/_shared/emojiNamed.ts'
import {
  isObject,
  objectsOf,
  PayloadError,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { slackContent } from '../../../../supabase/functions/_shared/slackPayload.ts'
import { keepNecessaryEscapes } from '../../../../wire/body/escapes.ts'
import type { MessageCard } from '../../../../wire/messages.ts'
import { cutText } from '../../../../wire/texts.ts'
import type { ConvertedText, Mapping } from '../ExportReader.ts'

/** Characters of a private range, between which a token has its number. The converter of webhooks leaves them unchanged. */
const OPEN = '\uF100'
const CLOSE = '\uF101'
/** Of a message. */
const maxCharacters = 20_000
/** Blocks within blocks. */
const maxDepth = 20
const maxAttachments = 100

/**
 * The Markdown of a message of an export, by the converter of incoming webhooks, with mentions and links of the workspace.
 * @param lines Markdown that follows the text
 */
export function convertText(message: Fields, mapping: Mapping, lines: readonly string[]): ConvertedText {
  const tokens: string[] = []
  const convert = createConverter(mapping, tokens)
  const attachments = objectsOf(message['attachments'], maxAttachments)
  const links = attachments.map((attachment) => sharedLink(attachment, mapping))
  const isAlone = textOf(message['text']) === '' && objectsOf(message['blocks'], 1).length === 0
  const isShown = (attachment: Fields, at: number): boolean =>
    links[at] === null && (isAlone || !isPreview(attachment))
  const payload = {
    text: convert.markup(typeof message['text'] === 'string' ? message['text'] : ''),
    blocks: convert.value(message['blocks'], 0),
    attachments: attachments.filter(isShown).map((one) => convertAttachment(one, convert)),
  }
  const content = contentOf(payload)
  const expand = (text: string): string =>
    text.replaceAll(/\uF100(\d+)\uF101/g, (_found, at: string) => tokens[Number(at)] ?? '')
  const expanded = {
    text: [expand(content.text), ...links.filter((one) => one !== null), lines.join('\n')]
      .filter(Boolean)
      .join('\n\n'),
    cards: content.cards.map((card) => mapStrings(card, expand) as MessageCard),
  }
  const { body, cards, isCut } = composeMessage(expanded)
  const isAction = message['subtype'] === 'me_message' && body !== ''
  const prefix = isAction ? '/me ' : ''
  return {
    body: cutText(prefix + body, maxCharacters),
    extras: cards === null ? null : { cards: { ...cards, start: cards.start + prefix.length } },
    whole: isCut ? keepNecessaryEscapes(expanded.text) : null,
  }
}

/** A part of a payload that Slack itself would refuse is left out. */
function contentOf(payload: Fields): Content {
  for (const parts of [payload, { ...payload, blocks: null }, { text: payload['text'] }]) {
    try {
      return slackContent(parts)
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error
    }
  }
  return { text: '', cards: [] }
}

/** Whether an attachment is Slack's preview of a link in the text, or of a message that the text links to. */
function isPreview(attachment: Fields): boolean {
  const hasLink = textOf(attachment['from_url']) !== '' || textOf(attachment['original_url']) !== ''
  return hasLink && attachment['is_share'] !== true
}

/** The link to a message that a message shares. The page shows the linked message to those who may read it. */
function sharedLink(attachment: Fields, mapping: Mapping): string | null {
  return attachment['is_share'] === true ? rewriteLink(textOf(attachment['from_url']), mapping) : null
}

function convertAttachment(attachment: Fields, convert: Converter): Fields {
  const marked = ['text', 'pretext', 'fallback'].map((key): [string, unknown] => {
    const text = attachment[key]
    return [key, typeof text === 'string' ? convert.markup(text) : text]
  })
  const fields = objectsOf(attachment['fields'], 50).map((field) => ({
    title: field['title'],
    short: field['short'],
    value: typeof field['value'] === 'string' ? convert.markup(field['value']) : field['value'],
  }))
  const blocks = convert.value(attachment['blocks'], 0)
  return {
    ...attachment,
    ...Object.fromEntries(marked),
    fields,
    ...(Array.isArray(blocks) ? { blocks } : { blocks: null }),
  }
}

interface Converter {
  /** A text of mrkdwn. */
  markup(text: string): string
  /** Blocks and their parts. */
  value(value: unknown, depth: number): unknown
}

/** Replaces mentions by tokens, and links to messages of the workspace by their new addresses. */
function createConverter(mapping: Mapping, tokens: string[]): Converter {
  const token = (mention: string): string => `${OPEN}${tokens.push(mention) - 1}${CLOSE}`
  const personToken = (user: string): string | null => {
    const id = mapping.personId(user)
    return id === null ? null : token(`<@${id}>`)
  }
  const channelToken = (channel: string): string | null => {
    const id = mapping.channelId(channel)
    return id === null ? null : token(`<#${id}>`)
  }
  const broadcastToken = (range: string): string | null =>
    range === 'here' ? token('<!here>') : ['channel', 'everyone'].includes(range) ? token('<!channel>') : null

  const markup = (text: string): string =>
    text.replaceAll(
      /<([@#!]|https?:\/\/)([^<>|\n]{1,3000})(\|[^<>\n]{0,3000})?>/g,
      (found, sign: string, name: string, label = '') => {
        if (sign === '@') return personToken(name) ?? found
        if (sign === '#') return channelToken(name) ?? found
        if (sign === '!') return broadcastToken(name) ?? found
        const address = rewriteLink((sign + name).replaceAll('&amp;', '&'), mapping)
        return address === null ? found : `<${address}${label === `|${sign}${name}` ? '' : label}>`
      },
    )

  /** An element of rich text as one that the converter of webhooks knows. */
  const element = (fields: Fields): Fields => {
    const asText = (text: string | null): Fields =>
      text === null ? fields : { type: 'text', text, style: fields['style'] }
    switch (fields['type']) {
      case 'user':
        return asText(personToken(textOf(fields['user_id'])))
      case 'channel':
        return asText(channelToken(textOf(fields['channel_id'])))
      case 'broadcast':
        return asText(broadcastToken(textOf(fields['range'])))
      case 'emoji':
        return asText(emojiOf(fields))
      case 'link': {
        const address = rewriteLink(textOf(fields['url']), mapping)
        if (address === null) return fields
        return { ...fields, url: address, text: fields['text'] === fields['url'] ? '' : fields['text'] }
      }
      case 'mrkdwn':
        return { ...fields, text: markup(typeof fields['text'] === 'string' ? fields['text'] : '') }
      default:
        return fields
    }
  }

  const value = (found: unknown, depth: number): unknown => {
    if (depth > maxDepth) return null
    if (Array.isArray(found)) return found.map((one) => value(one, depth + 1))
    if (!isObject(found)) return found
    const converted = element(found)
    return Object.fromEntries(
      Object.entries(converted).map(([key, one]) => [
        key,
        typeof one === 'object' ? value(one, depth + 1) : one,
      ]),
    )
  }
  return { markup, value }
}

/** The characters of an emoji that has a skin tone, or a name that Linnet does not know; null if its name suffices. */
function emojiOf(fields: Fields): string | null {
  const codes = textOf(fields['unicode'])
  const isKnown = fields['skin_tone'] === undefined && emojiNamed(textOf(fields['name'])) !== null
  if (isKnown || !/^[\da-f]{2,6}(?:-[\da-f]{2,6}){0,15}$/i.test(codes)) return null
  const points = codes.split('-').map((code) => Number.parseInt(code, 16))
  return points.every((point) => point <= 0x10_ff_ff && !(point >= 0xd8_00 && point <= 0xdf_ff))
    ? String.fromCodePoint(...points)
    : null
}

/** The address of a message or channel of the export in the application; null for another one. */
export function rewriteLink(address: string, { channelId, messageId, site }: Mapping): string | null {
  const match =
    /^https:\/\/[a-z\d.-]+\.slack\.com\/archives\/(\w{1,60})(?:\/p(\d{1,12})(\d{6}))?\/?(?:[?#].*)?$/i.exec(
      address,
    )
  if (match === null) return null
  const [, channel = '', seconds, fraction = ''] = match
  const id = channelId(channel)
  if (id === null) return null
  return `${site}/c/${id}${seconds === undefined ? '' : `/m/${messageId(channel, `${seconds}.${fraction}`)}`}`
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, map))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapStrings(one, map)]))
}
