import { safeHref } from '../../../wire/body/addresses.ts'
import { linksOf } from '../../../wire/body/linksOf.ts'
import { parseBody } from '../../../wire/body/parseBody.ts'

/** The database stores as many previews with a message. */
const maxLinks = 3
const maxUrlLength = 1000

/**
 * The web addresses that a message shows as links, in order, each once and without its fragment: none in code, in
 * formulas, behind a backslash, or hidden by a spoiler. At most three.
 * @param ownOrigins whose addresses are left out: the app shows what they lead to with each reader's own rights
 */
export function extractLinks(body: string, ownOrigins: readonly string[] = []): string[] {
  const urls = new Set<string>()
  for (const href of linksOf(parseBody(body))) {
    const url = previewUrl(href)
    if (url !== null && !ownOrigins.includes(new URL(url).origin)) urls.add(url)
    if (urls.size === maxLinks) break
  }
  return [...urls]
}

/** The address as it is fetched; null if it is no web address, has a user or a password, or is too long. */
function previewUrl(href: string): string | null {
  const safe = safeHref(href)
  if (safe === null) return null
  const url = new URL(safe)
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') return null
  url.hash = ''
  return url.href.length <= maxUrlLength ? url.href : null
}
