import { nodesOf } from '../../../../wire/body/nodesOf.ts'
import { parseBody } from '../../../../wire/body/parseBody.ts'
import type { Block, Inline, Link } from '../../../../wire/body/tree.ts'
import { findPage, type PageOfPath } from '../../../paths.ts'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Maximum number of cards with a message: as many as previews of other pages. */
const MAX_CARDS = 3

/** Tests render texts without a browser, where no address is one of this server. */
const { origin, host } = typeof location === 'undefined' ? { origin: 'null', host: 'null' } : location

/** A page that a link shows as a card. */
export type CardPage = Extract<PageOfPath, { name: 'message' | 'thread' | 'file' }>

export interface CardLink {
  page: CardPage
  path: string
  /** Whether the text names it too, because its paragraph has more than cards. */
  isInText: boolean
}

/** An address of this server, as a text names it. */
export interface OwnAddress {
  page: PageOfPath
  /** What the app opens: the path with its query and fragment. */
  path: string
}

/** The page of this server to which a link leads; null for other links, and for addresses with malformed ids. */
export function ownPageOf({ href }: Pick<Link, 'href'>): OwnAddress | null {
  if (!href.startsWith(`${origin}/`)) return null
  const { pathname, search, hash } = new URL(href)
  const page = findPage(pathname)
  if (!page || !Object.values(page.params).every((id) => UUID.test(id))) return null
  return { page, path: pathname + search + hash }
}

/**
 * The messages, threads and files that a body links by their address alone, each once and at most three: none in code or
 * formulas, or hidden by a spoiler.
 */
export function cardLinksOf(body: string): CardLink[] {
  if (!mayHaveCards(body)) return []
  const blocks = parseBody(body)
  const inText = findCardLinks(leaveOutCardLinks(blocks, body))
  return [...findCardLinks(blocks)].map(([path, page]) => ({ page, path, isInText: inText.has(path) }))
}

/** Leaves out the paragraphs that have only links with a card. */
export function leaveOutCardLinks(blocks: Block[], source: string): Block[] {
  if (!mayHaveCards(source)) return blocks
  const cards = findCardLinks(blocks)
  const isCardLink = (node: Inline) => node.type === 'link' && cards.has(pathOf(node))
  const isBlank = (node: Inline) =>
    node.type === 'lineBreak' || (node.type === 'text' && node.text.trim() === '')
  return blocks.filter(
    (block) =>
      block.type !== 'paragraph' ||
      !block.children.some(isCardLink) ||
      !block.children.every((node) => isCardLink(node) || isBlank(node)),
  )
}

/** Spares most texts a second reading. */
function mayHaveCards(body: string): boolean {
  return body.toLowerCase().includes(`${host}/`)
}

/** The pages of cards by their paths. */
function findCardLinks(blocks: readonly Block[]): Map<string, CardPage> {
  const found = new Map<string, CardPage>()
  for (const node of nodesOf(blocks, ({ type }) => type !== 'spoiler')) {
    if (node.type !== 'link' || !isBare(node) || found.size === MAX_CARDS) continue
    const own = ownPageOf(node)
    if (own && isCardPage(own.page)) found.set(own.path, own.page)
  }
  return found
}

function pathOf(node: Link): string {
  return (isBare(node) && ownPageOf(node)?.path) || ''
}

/** Whether a link is an address without a text of its own. */
export function isBare({ form }: Pick<Link, 'form'>): boolean {
  return form === 'bare' || form === 'angle'
}

function isCardPage(page: PageOfPath): page is CardPage {
  return page.name === 'message' || page.name === 'thread' || page.name === 'file'
}
