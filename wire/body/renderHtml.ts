import { escapeHtml } from '../escapeHtml.ts'
import { renderBody } from './renderBody.ts'

/** The names that a text is shown with. */
export interface HtmlNames {
  /** Who does what "/me …" describes. */
  author: string
  /** The name of a person by id, of a group by its id after "&", or of a channel by its id after "#"; undefined if it is not known. */
  nameOf(who: string): string | undefined
  /** The standard emoji of a name such as `tada`; null if there is none. */
  emojiNamed(name: string): string | null
}

const VOID: ReadonlySet<string> = new Set(['br', 'hr'])

/** The text of a message as HTML without scripts, pictures and styles. */
export function renderHtml(body: string, { author, nameOf, emojiNamed }: HtmlNames): string {
  function mention(who: string): string {
    if (who === 'me') return `<strong><bdi>${escapeHtml(author)}</bdi></strong>`
    if (who === 'channel' || who === 'here') return `<strong>@${who}</strong>`
    const isChannel = who.startsWith('#')
    const name = nameOf(who) ?? (isChannel ? 'another channel' : 'someone')
    return `<strong>${isChannel ? '#' : '@'}<bdi>${escapeHtml(name)}</bdi></strong>`
  }

  const emoji = (name: string): string => escapeHtml(emojiNamed(name) ?? `:${name}:`)

  return renderBody<string>(body, { element, text: escapeHtml, mention, emoji, ...output }).join('')
}

const output = { spoiler: 'Spoiler', link: { rel: 'noopener noreferrer' } }

function element(tag: string, attributes: Record<string, string>, ...children: readonly string[]): string {
  const all = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
  return `<${tag}${all.join('')}>${children.join('')}${VOID.has(tag) ? '' : `</${tag}>`}`
}
