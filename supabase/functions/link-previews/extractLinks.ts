import type { Token, Tokens } from 'marked'
import { parseBody, safeHref } from '../../../app/features/parts/body/parseBody.ts'

/** The database stores as many previews with a message. */
const maxLinks = 3
const maxUrlLength = 1000

/**
 * The web addresses that a message shows as links, in order, each once and without its fragment: none in code, in
 * formulas, behind a backslash, or hidden by a spoiler. At most three.
 */
export function extractLinks(body: string): string[] {
  const urls = new Set<string>()
  for (const href of linksIn(parseBody(body))) {
    const url = previewUrl(href)
    if (url !== null) urls.add(url)
    if (urls.size === maxLinks) break
  }
  return [...urls]
}

function* linksIn(tokens: readonly Token[]): Generator<string> {
  for (const token of tokens) {
    if (token.type === 'spoiler' || token.type === 'image') continue
    if (token.type === 'link') {
      yield (token as Tokens.Link).href
      continue
    }
    const { tokens: inner, items, header, rows } = token as Parent
    for (const list of [inner, items, header, ...(rows ?? [])]) {
      if (Array.isArray(list)) yield* linksIn(list)
    }
  }
}

/** What can contain other tokens; cells of a table are tokens without a type. */
interface Parent {
  tokens?: Token[]
  items?: Token[]
  header?: Token[] | boolean
  rows?: Token[][]
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
