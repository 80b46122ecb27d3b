import type { MessageCard } from '../../../wire/messages.ts'
import { cleanJson, cutText } from '../../../wire/texts.ts'
import { cardColor, composeMessage, type Composed, type Content } from './composeMessage.ts'
import { isObject, objectsOf, PayloadError, textOf, type Fields } from './payloadFields.ts'
import { emojiNamed } from './emojiNamed.ts'
import { blocksMarkdown } from './slackBlocks.ts'
import { link, slackMarkdown, slackPlainText, webAddress } from './slackMarkdown.ts'

/** Slack's limits. */
const maxBlocks = 50
const maxAttachments = 100
const maxFields = 50
/** Of a button. */
const maxLabelCharacters = 80
const maxLinks = 10

/**
 * The body of a request as a payload: JSON, or a form with the field `payload`. Throws PayloadError.
 */
export function parsePayload(body: string, contentType: string): Fields {
  const isForm = contentType.toLowerCase().startsWith('application/x-www-form-urlencoded')
  const json = isForm ? (new URLSearchParams(body).get('payload') ?? '') : body
  let payload: unknown
  try {
    payload = JSON.parse(cleanJson(json))
  } catch {
    throw new PayloadError('invalid_payload')
  }
  if (!isObject(payload)) throw new PayloadError('invalid_payload')
  return payload
}

/** The message of a payload: see `slackContent`. Throws PayloadError. */
export function slackMessage(payload: Fields): Composed {
  return composeMessage(slackContent(payload))
}

/**
 * The content of a payload: `blocks` or else `text`, with a card for each attachment; `username` is its first line. Throws
 * PayloadError.
 */
export function slackContent(payload: Fields): Content {
  const blocks = listOf(payload['blocks'], maxBlocks, 'invalid_blocks')
  const attachments = listOf(payload['attachments'], maxAttachments, 'too_many_attachments')
  const text = textOf(payload['text'])
  // With blocks, the text is what clients show that have no blocks.
  const main =
    blocksMarkdown(blocks) || (payload['mrkdwn'] === false ? slackPlainText(text) : slackMarkdown(text))
  const cards = attachments.map(attachmentCard)
  // What stands before the first card is the text of the message.
  const [first = ''] = attachments.map((attachment) => slackMarkdown(textOf(attachment['pretext'])))
  const content = [main, first].filter(Boolean)
  if (content.length === 0 && cards.every((card) => isEmpty(card))) throw new PayloadError('no_text')
  return {
    sender: textOf(payload['username']),
    icon: iconOf(payload['icon_emoji']),
    mentions: 'all',
    thread: textOf(payload['thread_ts']),
    text: content.join('\n\n'),
    cards: cards.map((card, at) => {
      const before = at === 0 ? '' : slackMarkdown(textOf(attachments[at]?.['pretext']))
      return before === '' ? card : { ...card, text: [before, card.text].filter(Boolean).join('\n') }
    }),
  }
}

/** The standard emoji of a name such as `:tada:`. */
function iconOf(value: unknown): string | null {
  const name = textOf(value).replaceAll(':', '')
  return name === '' ? null : emojiNamed(name)
}

/** The objects of a list; an error with this name if it is none, or too long. */
function listOf(value: unknown, max: number, error: string): Fields[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > max) throw new PayloadError(error)
  return value.filter(isObject)
}

function isEmpty({ author, title, text, fields, footer, links }: MessageCard): boolean {
  return ![author, title, text, footer].some(Boolean) && !fields?.length && !links?.length
}

function attachmentCard(attachment: Fields): MessageCard {
  const plain = (key: string) => slackPlainText(textOf(attachment[key]))
  const linked = (key: string, address: string) => {
    const text = plain(key)
    return text === '' ? '' : link(text, textOf(attachment[address]))
  }
  const blocks = blocksMarkdown(listOf(attachment['blocks'], maxBlocks, 'invalid_blocks'))
  const image = textOf(attachment['image_url']) || textOf(attachment['thumb_url'])
  const picture = webAddress(image) === null ? '' : link(plain('title') || plain('fallback'), image)
  const color = cardColor(attachment['color'])
  const card: MessageCard = {
    author: linked('author_name', 'author_link'),
    title: linked('title', 'title_link'),
    text: [slackMarkdown(textOf(attachment['text'])), blocks, picture].filter(Boolean).join('\n'),
    fields: listOf(attachment['fields'], maxFields, 'invalid_attachments').map((field) => ({
      name: slackPlainText(textOf(field['title'])),
      value: slackMarkdown(
        typeof field['value'] === 'number' ? String(field['value']) : textOf(field['value']),
      ),
      ...(field['short'] === true ? { short: true as const } : {}),
    })),
    links: objectsOf(attachment['actions'], maxLinks).flatMap((action) => {
      const url = webAddress(textOf(action['url']))
      const text = textOf(action['text'])
      return url === null || text === '' ? [] : [{ text: cutText(text, maxLabelCharacters), url }]
    }),
    footer: plain('footer'),
  }
  if (isEmpty(card)) card.text = slackMarkdown(textOf(attachment['fallback']))
  const at = isEmpty(card) ? null : timeOf(attachment['ts'])
  return {
    ...card,
    ...(color === undefined ? {} : { color }),
    ...(at === null ? {} : { at }),
  }
}

/** A time in seconds, as a number or text. */
function timeOf(value: unknown): string | null {
  const date = new Date(Number(typeof value === 'string' || typeof value === 'number' ? value : NaN) * 1000)
  const year = date.getUTCFullYear()
  return year >= 1970 && year <= 9999 && date.getTime() > 0 ? date.toISOString() : null
}
