import { i18n } from '@lingui/core'
import type { Uuid } from '../../../wire/scalars.ts'
import type { WebChannelPage, WebMessage } from '../../../wire/webChannels.ts'
import styles from '../../features/parts/members/avatar/Avatar.module.css'
import { avatarColor, initialsOf } from '../../ui/avatarColor.ts'
import { cx } from '../../ui/cx.ts'
import { formatDate, formatDateTime, formatDayAndTime } from '../../ui/dates.ts'
import { createNode, type Content } from './createNode.ts'
import { renderWebBody } from './renderWebBody.ts'
import { renderWebFiles } from './renderWebFiles.ts'

/** A page of the channel with this id; links to other pages are relative to its own path. */
export function renderWebPage(page: WebChannelPage, channel: Uuid): Content {
  const { workspace, name, topic, since, thread, messages, has_before, has_after } = page
  const [first, last] = [messages[0]?.number, messages.at(-1)?.number]
  const inThread = (cursor: string) => `?${thread ? `thread=${thread.number}&` : ''}${cursor}`
  const older = has_before && first !== undefined ? inThread(`before=${first}`) : null
  const newer = has_after && last !== undefined ? inThread(`after=${last}`) : null
  const empty = thread ? i18n._('No replies.') : i18n._('Nothing has been written yet.')
  return [
    createNode(
      'header',
      {},
      createNode(
        'p',
        { class: 'brand' },
        createNode('img', { src: '/favicon.svg', alt: '', width: '24', height: '24' }),
        createNode('bdi', {}, workspace),
      ),
      createNode('h1', {}, '# ', createNode('bdi', {}, name)),
      topic ? createNode('p', { dir: 'auto' }, topic) : null,
    ),
    createNode(
      'main',
      {},
      thread
        ? [
            createNode('p', {}, createNode('a', { href: '?' }, i18n._('Back to the channel'))),
            renderMessage(thread, page, channel, false),
            createNode('h2', {}, i18n._('Replies')),
          ]
        : null,
      older
        ? createNode('nav', {}, createNode('a', { href: older, rel: 'prev' }, i18n._('Older messages')))
        : null,
      messages.length > 0
        ? createNode(
            'ol',
            { class: 'messages' },
            messages.map((message) => createNode('li', {}, renderMessage(message, page, channel, !thread))),
          )
        : createNode('p', { class: 'empty' }, empty),
      newer
        ? createNode('nav', {}, createNode('a', { href: newer, rel: 'next' }, i18n._('Newer messages')))
        : null,
    ),
    createNode(
      'footer',
      {},
      createNode(
        'p',
        {},
        since === null
          ? i18n._('This channel of {workspace} is open to everyone.', { workspace })
          : i18n._('This channel of {workspace} has been open to everyone since {date}.', {
              workspace,
              date: formatDate(since),
            }),
      ),
      createNode('p', {}, notShown(page)),
    ),
  ]
}

/** What the page leaves out. */
function notShown({ since, files }: WebChannelPage): string {
  if (files)
    return since === null
      ? i18n._(
          'Not shown: link previews, poll options, quoted and forwarded messages, and the names of people who wrote nothing on this page.',
        )
      : i18n._(
          'Not shown: what was written before, link previews, poll options, quoted and forwarded messages, and the names of people who wrote nothing on this page.',
        )
  return since === null
    ? i18n._(
        'Not shown: files and pictures, link previews, poll options, quoted and forwarded messages, and the names of people who wrote nothing on this page.',
      )
    : i18n._(
        'Not shown: what was written before, files and pictures, link previews, poll options, quoted and forwarded messages, and the names of people who wrote nothing on this page.',
      )
}

function renderMessage(
  message: WebMessage,
  page: WebChannelPage,
  channel: Uuid,
  linksReplies: boolean,
): HTMLElement {
  const { number, author, at, edited, body, replies = 0, carries = [], reactions = [] } = message
  const { files = 0, attachments = [] } = message
  const left = [
    files > 0 ? i18n._('{files, plural, one {# file} other {# files}}', { files }) : null,
    carries.includes('poll') ? i18n._('A poll') : null,
    carries.includes('quote') ? i18n._('Quotes a message') : null,
    carries.includes('forward') ? i18n._('A forwarded message') : null,
  ].filter((one) => one !== null)
  const name = author || i18n._('Former member')
  const content = [
    createNode(
      'p',
      { class: 'head' },
      createNode('strong', {}, createNode('bdi', {}, name)),
      ' ',
      createNode('time', { datetime: at, title: formatDateTime(at), class: 'small' }, formatDayAndTime(at)),
      edited ? createNode('span', { class: 'small' }, ` ${i18n._('(edited)')}`) : null,
    ),
    renderWebBody(body, author, page),
    attachments.length > 0 ? renderWebFiles(attachments, channel) : null,
    left.length > 0
      ? createNode('p', { class: 'small' }, i18n._('{what}: not shown here', { what: left.join(' · ') }))
      : null,
    reactions.length > 0
      ? createNode(
          'ul',
          { class: 'reactions', 'aria-label': i18n._('Reactions') },
          reactions.map(({ emoji, count }) => createNode('li', {}, `${emoji} ${i18n.number(count)}`)),
        )
      : null,
    linksReplies && replies > 0
      ? createNode(
          'p',
          {},
          createNode(
            'a',
            { href: `?thread=${number}` },
            i18n._('{replies, plural, one {# reply} other {# replies}}', { replies }),
          ),
        )
      : null,
  ]
  return createNode(
    'article',
    { id: `m${number}` },
    renderAvatar(name),
    createNode('div', { class: 'content' }, content),
  )
}

/** The initials of an author. The page has no ids of people, so that the name determines the colour. */
function renderAvatar(name: string): HTMLElement {
  const { hue, tone, pattern } = avatarColor(name)
  const avatar = createNode(
    'span',
    {
      'aria-hidden': 'true',
      class: cx(styles.avatar, styles.s36, styles[tone], styles[`p${pattern}`]),
      'data-hue': String(hue),
    },
    initialsOf(name),
  )
  avatar.style.setProperty('--hue', String(hue))
  return avatar
}
