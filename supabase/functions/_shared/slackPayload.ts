import { keepNecessaryEscapes } from '../../../wire/body/escapes.ts'
import { cleanJson, cutText } from '../../../wire/texts.ts'
import { plainText, slackMarkdown, webAddress } from './slackMarkdown.ts'

/** Slack's limits. */
const maxBlocks = 50
const maxAttachments = 100
const maxFields = 50
/** Of a message; longer texts are cut. */
const maxCharacters = 20_000
/** Of a name that the message shows as its sender. */
const maxNameCharacters = 80

/** A payload that is refused; the message is the name that Slack responds with. */
export class PayloadError extends Error {}

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

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

/**
 * The Markdown of a payload: `blocks` or else `text`, then `attachments`; `username` is its first line. Icons and buttons
 * are left out. At most 20,000 characters. Throws PayloadError.
 */
export function payloadMarkdown(payload: Fields): string {
  const blocks = listOf(payload['blocks'], maxBlocks, 'invalid_blocks')
  const attachments = listOf(payload['attachments'], maxAttachments, 'too_many_attachments')
  // With blocks, the text is what clients show that have no blocks.
  const main =
    blocks.map(blockMarkdown).filter(Boolean).join('\n\n') || slackMarkdown(textOf(payload['text']))
  const parts = [main, ...attachments.map(attachmentMarkdown)].filter(Boolean)
  if (parts.length === 0) throw new PayloadError('no_text')
  const name = cutText(textOf(payload['username']).replaceAll(/\s+/g, ' '), maxNameCharacters)
  const markdown = (name === '' ? '' : `**${plainText(name)}**\n`) + parts.join('\n\n')
  return cutText(keepNecessaryEscapes(markdown.slice(0, 2 * maxCharacters)), maxCharacters, '…')
}

/** The objects of a list; an error with this name if it is none, or too long. */
function listOf(value: unknown, max: number, error: string): Fields[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > max) throw new PayloadError(error)
  return value.filter(isObject)
}

/** A text object of a block: `{type: 'mrkdwn' | 'plain_text', text}`. */
function objectText(value: unknown): string {
  if (!isObject(value)) return ''
  const text = textOf(value['text'])
  return value['type'] === 'plain_text' ? plainText(text) : slackMarkdown(text)
}

function blockMarkdown(block: Fields): string {
  switch (block['type']) {
    case 'header':
      return isObject(block['text'])
        ? `**${plainText(textOf(block['text']['text'])).replaceAll('\n', ' ')}**`
        : ''
    case 'section': {
      const fields = listOf(block['fields'], maxFields, 'invalid_blocks').map(objectText)
      return [objectText(block['text']), ...fields].filter(Boolean).join('\n')
    }
    case 'context':
      return listOf(block['elements'], maxFields, 'invalid_blocks')
        .map(elementText)
        .filter(Boolean)
        .join(' · ')
    case 'divider':
      return '---'
    case 'image':
      return imageLink(block)
    default:
      return ''
  }
}

const elementText = (element: Fields): string =>
  element['type'] === 'image' ? plainText(textOf(element['alt_text'])) : objectText(element)

/** Pictures of other servers are not loaded: they are links. */
function imageLink(block: Fields): string {
  const url = webAddress(textOf(block['image_url']))
  return url === null ? '' : link(textOf(block['alt_text']) || url, url)
}

const link = (text: string, url: string): string => `[${plainText(text).replaceAll('\n', ' ')}](<${url}>)`

function attachmentMarkdown(attachment: Fields): string {
  const title = textOf(attachment['title'])
  const url = webAddress(textOf(attachment['title_link']))
  const author = textOf(attachment['author_name'])
  const fields = listOf(attachment['fields'], maxFields, 'invalid_attachments').map((field) => {
    const [name, value] = [textOf(field['title']), slackMarkdown(textOf(field['value']))]
    return name === '' ? value : `**${plainText(name)}:** ${value}`
  })
  const blocks = listOf(attachment['blocks'], maxBlocks, 'invalid_blocks').map(blockMarkdown)
  const lines = [
    author === '' ? '' : plainText(author),
    title === '' ? '' : `**${url === null ? plainText(title) : link(title, url)}**`,
    slackMarkdown(textOf(attachment['text'])),
    ...fields,
    ...blocks,
    imageLink({ image_url: attachment['image_url'], alt_text: title }),
    textOf(attachment['footer']) === '' ? '' : `_${plainText(textOf(attachment['footer']))}_`,
  ].filter(Boolean)
  if (lines.length === 0) lines.push(slackMarkdown(textOf(attachment['fallback'])))
  const quoted = lines.join('\n').replaceAll(/^/gm, '> ').trim()
  const before = slackMarkdown(textOf(attachment['pretext']))
  return [before, quoted === '>' ? '' : quoted].filter(Boolean).join('\n')
}
