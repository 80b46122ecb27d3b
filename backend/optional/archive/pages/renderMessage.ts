import { renderHtml } from '../../../../wire/body/renderHtml.ts'
import { escapeHtml } from '../../../../wire/escapeHtml.ts'
import type { PageMessage } from '../exportRows.ts'
import { entryLink, escapePath } from './page.ts'

interface Context {
  nameOf(who: string): string | undefined
  /** Objects that the archive lacks. */
  missingFiles: ReadonlySet<string>
}

/** Types that browsers show as pictures, without scripts in them. */
const isPicture = (type: string): boolean => /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type)
/** A browser would run what is in such a file, as a part of the archive. */
const isActive = (type: string): boolean => /html|xml|svg|javascript/.test(type)

/** A message as an `article` of a page in the directory `pages`. */
export function renderMessage(message: PageMessage, { nameOf, missingFiles }: Context): string {
  const { id, author_id: authorId, body, created_at: created, edited_at: edited, thread_root: root } = message
  const author = nameOf(authorId) ?? 'Former member'
  const time = `<time datetime="${escapeHtml(created)}">${escapeHtml(created.slice(0, 16).replace('T', ' '))}</time>`
  const text =
    message.deleted_at === null
      ? renderHtml(body, { author, nameOf })
      : '<p class="quiet">This message was deleted.</p>'
  const files = (message.files ?? []).map((file) => renderFile(file, missingFiles)).join('')
  const reactions = (message.reactions ?? [])
    .map(({ emoji, count }) => `<span>${escapeHtml(emoji)} ${count}</span>`)
    .join('')
  return `<article id="${escapeHtml(id)}"${root === null ? '' : ' class="reply"'}><strong><bdi>${escapeHtml(author)}</bdi></strong> ${time}${
    edited === null ? '' : ' <span class="quiet">edited</span>'
  }${text}${files}${reactions === '' ? '' : `<p class="reactions quiet">${reactions}</p>`}</article>`
}

function renderFile(
  { channel, upload, name, type }: NonNullable<PageMessage['files']>[number],
  missingFiles: ReadonlySet<string>,
): string {
  const path = `${channel}/${upload}/file`
  const label = escapeHtml(name)
  if (missingFiles.has(`files/${path}`))
    return `<p><bdi>${label}</bdi> <span class="quiet">missing</span></p>`
  const entry = `../files/files/${path}`
  if (isPicture(type))
    return `<p><a href="${escapePath(entry)}"><img src="${escapePath(entry)}" alt="${label}" loading="lazy"></a></p>`
  if (isActive(type))
    return `<p><bdi>${label}</bdi> <span class="quiet">${escapeHtml(entry.slice(3))}</span></p>`
  return `<p>${entryLink(entry, name, ` download="${label}"`)}</p>`
}
