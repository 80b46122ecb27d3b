import { escapeMentions } from '../../../wire/body/escapeMentions.ts'
import { isObject, objectOf, objectsOf, textOf, type Fields } from './payloadFields.ts'
import {
  codeBlock,
  codeSpan,
  emphasize,
  link,
  plainText,
  quote,
  slackMarkdown,
  slackPlainText,
} from './slackMarkdown.ts'

const maxElements = 200
const maxRows = 100
const maxColumns = 20
const maxIndent = 8

/** The Markdown of blocks of Slack's Block Kit. What has an address is a link; other controls are left out. */
export function blocksMarkdown(blocks: readonly Fields[]): string {
  return blocks.map(blockMarkdown).filter(Boolean).join('\n\n')
}

function blockMarkdown(block: Fields): string {
  switch (block['type']) {
    case 'header':
      return emphasize(oneLine(objectText(block['text'])), '**')
    case 'section':
      return lines([
        objectText(block['text']),
        ...objectsOf(block['fields'], maxElements).map(objectText),
        elementMarkdown(objectOf(block['accessory'])),
      ])
    case 'context':
      return joined(objectsOf(block['elements'], maxElements).map(elementMarkdown))
    case 'actions':
      return joined(objectsOf(block['elements'], maxElements).map(elementMarkdown))
    case 'divider':
      return '---'
    case 'image':
      return elementMarkdown(block)
    case 'video':
      return lines([
        link(objectText(block['title']), textOf(block['title_url']) || textOf(block['video_url'])),
        objectText(block['description']),
      ])
    case 'markdown':
      return escapeMentions(textOf(block['text']))
    case 'rich_text':
      return richTextMarkdown(objectsOf(block['elements'], maxElements))
    case 'table':
      return tableMarkdown(block)
    default:
      return ''
  }
}

const lines = (parts: readonly string[]): string => parts.filter(Boolean).join('\n')
const joined = (parts: readonly string[]): string => parts.filter(Boolean).join(' · ')
const oneLine = (markdown: string): string => markdown.replaceAll(/\s*\n\s*/g, ' ')

/** A text object of a block: `{type: 'mrkdwn' | 'plain_text', text}`. */
function objectText(value: unknown): string {
  if (!isObject(value)) return ''
  const text = textOf(value['text'])
  return value['type'] === 'mrkdwn' ? slackMarkdown(text) : slackPlainText(text)
}

/** A text, a picture or a control. Pictures of other servers are not loaded: they are links. */
function elementMarkdown(element: Fields): string {
  switch (element['type']) {
    case 'mrkdwn':
    case 'plain_text':
      return objectText(element)
    case 'image': {
      const text = slackPlainText(textOf(element['alt_text'])) || objectText(element['title'])
      return link(text, textOf(element['image_url']) || textOf(objectOf(element['slack_file'])['url']))
    }
    case 'button':
      return controlLink(element)
    case 'overflow':
      return joined(objectsOf(element['options'], maxElements).map(controlLink))
    default:
      return ''
  }
}

function controlLink(control: Fields): string {
  const url = textOf(control['url'])
  return url === '' ? '' : link(objectText(control['text']), url)
}

function richTextMarkdown(elements: readonly Fields[]): string {
  /** Ordered lists continue behind lists that are indented further. */
  const numbers: number[] = []
  return elements
    .map((element) => {
      const inner = objectsOf(element['elements'], maxElements)
      if (element['type'] === 'rich_text_list') return listMarkdown(element, inner, numbers)
      numbers.length = 0
      switch (element['type']) {
        case 'rich_text_section':
          return inlinesMarkdown(inner)
        case 'rich_text_quote':
          return quote(inlinesMarkdown(inner))
        case 'rich_text_preformatted':
          return codeBlock(inner.map(sourceText).join(''))
        default:
          return ''
      }
    })
    .filter(Boolean)
    .join('\n')
}

function listMarkdown(list: Fields, items: readonly Fields[], numbers: number[]): string {
  const indent = Math.min(maxIndent, Math.max(0, Math.trunc(Number(list['indent'])) || 0))
  numbers.length = Math.min(numbers.length, indent + 1)
  const isOrdered = list['style'] === 'ordered'
  const offset = Math.min(1_000_000, Math.max(0, Math.trunc(Number(list['offset'])) || 0))
  return items
    .map((item) => {
      const number = (numbers[indent] ?? offset) + 1
      numbers[indent] = number
      const marker = `${'    '.repeat(indent)}${isOrdered ? `${number}.` : '-'} `
      const text = inlinesMarkdown(objectsOf(item['elements'], maxElements))
      return marker + text.replaceAll('\n', `\n${' '.repeat(marker.length)}`)
    })
    .join('\n')
}

/** The text of elements in a block of code. */
function sourceText(element: Fields): string {
  const text = element['text']
  return typeof text === 'string' ? text : textOf(element['url'])
}

const inlinesMarkdown = (elements: readonly Fields[]): string => elements.map(inlineMarkdown).join('')

function inlineMarkdown(element: Fields): string {
  const text = typeof element['text'] === 'string' ? element['text'] : ''
  switch (element['type']) {
    case 'text':
      return styled(text, element)
    case 'link':
      return link(styled(text, element), textOf(element['url']))
    case 'emoji': {
      const name = textOf(element['name'])
      return /^[a-z\d+-][a-z\d_+'-]{0,99}$/.test(name) ? `:${name}:` : plainText(name)
    }
    case 'user':
      return `@${plainText(textOf(element['user_id']))}`
    case 'usergroup':
      return `@${plainText(textOf(element['usergroup_id']))}`
    case 'team':
      return `@${plainText(textOf(element['team_id']))}`
    case 'channel':
      return `\\#${plainText(textOf(element['channel_id']))}`
    case 'broadcast':
      return element['range'] === 'everyone' ? '@channel' : `@${plainText(textOf(element['range']))}`
    case 'color':
      return plainText(textOf(element['value']))
    case 'date': {
      const seconds = Number(element['timestamp'])
      return plainText(textOf(element['fallback']) || dateText(seconds))
    }
    default:
      return ''
  }
}

/** A time in seconds as a text in UTC; empty if it is none. */
function dateText(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function styled(text: string, element: Fields): string {
  const style = objectOf(element['style'])
  let markdown = style['code'] === true ? codeSpan(text) : plainText(text)
  if (style['strike'] === true) markdown = emphasize(markdown, '~~')
  if (style['italic'] === true) markdown = emphasize(markdown, '*')
  if (style['bold'] === true) markdown = emphasize(markdown, '**')
  return markdown
}

/** A table of `raw_text` and `rich_text` cells; the first row is its head. */
function tableMarkdown(table: Fields): string {
  const source = Array.isArray(table['rows']) ? table['rows'].slice(0, maxRows) : []
  const rows = source.map((row) => objectsOf(row, maxColumns).map(cellMarkdown))
  const columns = Math.max(0, ...rows.map((row) => row.length))
  if (columns === 0) return ''
  const settings = Array.isArray(table['column_settings']) ? table['column_settings'] : []
  const rules: string[] = Array.from({ length: columns }, (_, column) => {
    const align = objectOf(settings[column])['align']
    return align === 'right' ? '-:' : align === 'center' ? ':-:' : '-'
  })
  const [head = [], ...rest] = rows
  return [head, rules, ...rest]
    .map((cells) => `| ${rules.map((_, column) => cells[column] ?? '').join(' | ')} |`)
    .join('\n')
}

function cellMarkdown(cell: Fields): string {
  const markdown =
    cell['type'] === 'rich_text'
      ? richTextMarkdown(objectsOf(cell['elements'], maxElements))
      : plainText(textOf(cell['text']))
  // Each bar needs its backslash; one of plainText has it.
  return oneLine(markdown).replaceAll(/(\\*)\|/g, (found, slashes: string) =>
    slashes.length % 2 === 0 ? `${slashes}\\|` : found,
  )
}
