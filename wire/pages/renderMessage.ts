import { renderHtml, type HtmlNames } from '../body/renderHtml.ts'
import { escapeHtml } from '../escapeHtml.ts'
import type { MessageExtras, Poll, SystemNote } from '../messages.ts'
import { formatTime } from './formatTime.ts'
import { renderCards } from './renderCards.ts'
import { renderNotice } from './renderNotice.ts'
import { entryLink, escapePath } from './renderPage.ts'

/** A message as a page shows it. */
export interface PageMessage {
  id: string
  kind: 'text' | 'system'
  thread_root: string | null
  author_id: string
  body: string
  system: SystemNote | null
  extras: MessageExtras | null
  created_at: string
  edited_at: string | null
  deleted_at: string | null
  pinned_at: string | null
  files: readonly PageFile[]
  /** Also votes and ticked tasks. */
  reactions: readonly { emoji: string; count: number }[]
  /** The quoted or forwarded message; null if the archive does not have it. */
  referred: ReferredMessage | null
}

/** A file of a message. */
export interface PageFile {
  name: string
  type: string
  /** Its path in the archive; null if the archive does not have it. */
  path: string | null
}

/** A quoted or forwarded message. */
export interface ReferredMessage {
  author_id: string
  body: string
  created_at: string
  files: readonly string[]
}

/** The names that a page shows. */
export type PageNames = Omit<HtmlNames, 'author'>

interface Options extends PageNames {
  /** A word for a message that is shown beside the messages of the page. */
  tag?: string
  /** Whether the page has shown the message before. */
  isRepeated?: boolean
}

/** Types that browsers show as pictures, without scripts in them. */
const isPicture = (type: string): boolean => /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type)
/** A browser would run the scripts in such a file as a part of the archive. */
const isActive = ({ type, path }: PageFile): boolean =>
  /[/+]xml|html|svg|javascript|^(?:multipart|message)\//i.test(type) ||
  /\.(?:[a-z]*html?|m?[hj]ta?|xht|x[ms]lt?|xsd|rdf|svgz?|swf|[cm]?js|url|webloc|lnk|desktop)$/i.test(
    path ?? '',
  )

/** A message as an `article` of a page in a directory of the archive. */
export function renderMessage(message: PageMessage, { tag, isRepeated, ...names }: Options): string {
  const { nameOf } = names
  const { id, body, created_at, edited_at, deleted_at, extras, thread_root } = message
  const { sender, icon, cards, poll, quote, forward, moved, moved_to, removed } = extras ?? {}
  const author = nameOf(message.author_id) ?? 'Former member'
  const time = formatTime(moved?.written_at ?? created_at)
  const classes = [thread_root !== null && 'reply', tag !== undefined && 'context'].filter(Boolean).join(' ')
  const open = `<article${isRepeated ? '' : ` id="${escapeHtml(id)}"`}${classes ? ` class="${classes}"` : ''}>`
  if (message.kind === 'system' && deleted_at === null)
    return `${open}<p class="quiet" dir="auto">${renderNotice(message.system, author, nameOf)} ${time}</p></article>`
  const render = (text: string): string => renderHtml(text, { author, ...names })
  const isAbsent = deleted_at !== null || moved_to !== undefined
  const referred = (quote ?? forward) ? renderReferred(message.referred, forward !== undefined, names) : ''
  const marks = [edited_at !== null && 'edited', message.pinned_at !== null && 'pinned', moved && 'moved']
  const head = [
    `<strong>${icon === undefined ? '' : `${escapeHtml(icon)} `}<bdi>${escapeHtml(sender?.name ?? author)}</bdi></strong>`,
    time,
    ...marks.flatMap((mark) => (mark ? [`<span class="quiet">${mark}</span>`] : [])),
    ...(tag === undefined ? [] : [`<span class="tag">${escapeHtml(tag)}</span>`]),
  ]
  const content = isAbsent
    ? `<p class="quiet">${describeAbsence(removed?.reason, moved_to !== undefined)}</p>`
    : [
        quote ? referred : '',
        render(body.slice(sender?.end, cards?.start)),
        cards ? renderCards(cards.items, render) : '',
        poll ? renderPoll(poll, message.reactions) : '',
        forward ? referred : '',
        ...message.files.map(renderFile),
        renderReactions(message.reactions),
      ].join('')
  return `${open}${head.join(' ')}${content}</article>`
}

function describeAbsence(reason: string | undefined, isMoved: boolean): string {
  if (isMoved) return 'This message was moved.'
  return reason === undefined
    ? 'This message was deleted.'
    : `An admin removed this message: <bdi>${escapeHtml(reason)}</bdi>`
}

function renderReferred(message: ReferredMessage | null, isForwarded: boolean, names: PageNames): string {
  if (message === null)
    return `<blockquote class="quiet">The ${isForwarded ? 'forwarded' : 'quoted'} message is not in this archive.</blockquote>`
  const author = names.nameOf(message.author_id) ?? 'Former member'
  const files = message.files.map((name) => `<p><bdi>${escapeHtml(name)}</bdi></p>`)
  return `<blockquote><p class="quiet">${isForwarded ? 'Forwarded: ' : ''}<bdi>${escapeHtml(author)}</bdi> ${formatTime(message.created_at)}</p>${renderHtml(message.body, { author, ...names })}${files.join('')}</blockquote>`
}

function renderPoll(
  { options, multiple, anonymous, closes_at }: Poll,
  reactions: PageMessage['reactions'],
): string {
  const counts = options.map((_, at) => reactions.find(({ emoji }) => emoji === `poll:${at}`)?.count ?? 0)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const items = options.map(
    (option, at) =>
      `<li><bdi>${escapeHtml(option)}</bdi> <span class="quiet">${countOf(counts[at]!, 'vote')}</span><progress max="${total || 1}" value="${counts[at]}"></progress></li>`,
  )
  const rule = `${multiple ? 'Choose one or more' : 'Choose one'}${anonymous ? ', anonymous' : ''}`
  const end = closes_at === null ? '' : `, closes ${formatTime(closes_at)}`
  return `<ul class="poll">${items.join('')}</ul><p class="quiet">Poll: ${countOf(total, 'vote')}. ${rule}${end}</p>`
}

/** "1 vote", "2 votes". */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function renderReactions(reactions: PageMessage['reactions']): string {
  const shown = reactions.filter(({ emoji }) => !/^(?:poll|task):/.test(emoji))
  if (shown.length === 0) return ''
  const items = shown.map(({ emoji, count }) => `<span>${escapeHtml(emoji)} ${count}</span>`)
  return `<p class="reactions quiet">${items.join('')}</p>`
}

function renderFile(file: PageFile): string {
  const { name, type, path } = file
  const label = escapeHtml(name)
  if (path === null) return `<p><bdi>${label}</bdi> <span class="quiet">not in this archive</span></p>`
  if (isActive(file))
    return `<p><bdi>${label}</bdi> <span class="quiet"><bdi>${escapeHtml(path)}</bdi></span></p>`
  const entry = `../${path}`
  if (isPicture(type))
    return `<p><a href="${escapePath(entry)}"><img src="${escapePath(entry)}" alt="${label}" loading="lazy"></a></p>`
  return `<p>${entryLink(entry, name, ' dir="auto"')}</p>`
}
