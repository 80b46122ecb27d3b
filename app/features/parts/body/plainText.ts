import { i18n } from '@lingui/core'
import type { Token, Tokens } from 'marked'
import { mentionedName } from '../../../data/messages/mentionedName.ts'
import { parseBody, type MentionToken } from './parseBody.ts'

/** The name of a mentioned person or channel; null if it is not known. */
export type NameOf = (id: string) => string | null

/**
 * A body as one line of text, for announcements, previews and notifications: without Markdown, and without what spoilers
 * hide.
 */
export function plainText(body: string, nameOf: NameOf = mentionedName): string {
  return tokensText(parseBody(body), nameOf).replaceAll(/\s+/g, ' ').trim()
}

function tokensText(tokens: readonly Token[], nameOf: NameOf): string {
  return tokens.map((token) => tokenText(token as Tokens.Generic, nameOf)).join('')
}

function tokenText(token: Tokens.Generic, nameOf: NameOf): string {
  switch (token.type) {
    case 'br':
    case 'hr':
    case 'space':
    case 'def':
    case 'checkbox':
      return ' '
    case 'spoiler':
      return i18n._('(spoiler)')
    case 'mention':
      return mentionText(token as unknown as MentionToken, nameOf)
    case 'list':
      return (token as Tokens.List).items.map(({ tokens }) => `${tokensText(tokens, nameOf)} `).join('')
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows]
        .flat()
        .map((cell) => `${tokensText(cell.tokens, nameOf)} `)
        .join('')
    }
    case 'image':
      return tokensText(token.tokens ?? [], nameOf) || token.raw
    default: {
      const text = token.tokens ? tokensText(token.tokens, nameOf) : String(token['text'] ?? token.raw)
      return BLOCKS.has(token.type) ? `${text} ` : text
    }
  }
}

const BLOCKS = new Set(['paragraph', 'heading', 'code', 'blockquote', 'html', 'formula'])

function mentionText({ who, raw }: MentionToken, nameOf: NameOf): string {
  if (who === 'me') return ''
  if (who === 'channel' || who === 'here') return `@${who}`
  const isChannel = who.startsWith('#')
  const name = nameOf(isChannel ? who.slice(1) : who)
  return name === null ? raw : `${isChannel ? '#' : '@'}${name}`
}
