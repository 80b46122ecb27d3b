import { safeHref } from '../body/addresses.ts'
import { escapeHtml } from '../escapeHtml.ts'
import type { MessageCard } from '../messages.ts'
import { formatTime } from './formatTime.ts'

const colors: ReadonlySet<string> = new Set(['red', 'orange', 'yellow', 'green', 'blue', 'purple'])

/** The cards of a message of another service as HTML. `render`: renders a text. */
export const renderCards = (cards: readonly MessageCard[], render: (text: string) => string): string =>
  cards.map((card) => renderCard(card, render)).join('')

function renderCard(
  { color, author, title, text, fields, footer, at, links }: MessageCard,
  render: (text: string) => string,
): string {
  const cells = (fields ?? []).map(
    ({ name, value, short }) =>
      `<div${short ? '' : ' class="wide"'}>${name ? `<dt class="quiet">${render(name)}</dt>` : ''}<dd>${render(value)}</dd></div>`,
  )
  const addresses = (links ?? []).flatMap(({ text: label, url }) => {
    const href = safeHref(url)
    return href === null
      ? []
      : [`<a href="${escapeHtml(href)}" rel="noopener noreferrer" dir="auto">${escapeHtml(label)}</a>`]
  })
  return [
    `<blockquote${color !== undefined && colors.has(color) ? ` class="${color}"` : ''}>`,
    author ? `<div class="quiet">${render(author)}</div>` : '',
    title ? `<div class="title">${render(title)}</div>` : '',
    text ? render(text) : '',
    cells.length > 0 ? `<dl>${cells.join('')}</dl>` : '',
    addresses.length > 0 ? `<p class="links">${addresses.join(' ')}</p>` : '',
    footer || at ? `<div class="quiet">${footer ? render(footer) : ''}${at ? formatTime(at) : ''}</div>` : '',
    '</blockquote>',
  ].join('')
}
