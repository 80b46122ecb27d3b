// @vitest-environment happy-dom
import { tests as examples } from 'commonmark-spec'
import { expect, test } from 'vitest'
import { safeHref } from '../parseBody.ts'
import { differences } from './commonMarkDifferences.ts'
import { bodyTree, type Tree } from './elementTree.ts'

type Example = (typeof examples)[number]

/** What decides the meaning of a text; classes and the rest of the look are not compared. */
interface Shape {
  tag: string
  /** The address of a link, the number of a list's first item, or the language of code. */
  value: string
  children: (Shape | string)[]
}

const reasons = new Map(Object.entries(differences).flatMap(([why, all]) => all.map((n) => [n, why])))

test.each(examples.filter(({ number }) => !reasons.has(number)))(
  'example $number of CommonMark 0.31.2 is rendered ($section)',
  (example) => {
    expect(rendered(example)).toEqual(specified(example))
  },
)

test('only what differs is listed as a difference', () => {
  const equal = examples.filter(
    (example) =>
      reasons.has(example.number) && JSON.stringify(rendered(example)) === JSON.stringify(specified(example)),
  )
  expect(equal.map(({ number }) => number)).toEqual([])
  expect([...reasons.keys()].length).toBe(Object.values(differences).flat().length)
})

/** The examples use relative addresses, which messages don't have: each gets an origin, in the text and in the result. */
function withOrigins({ markdown, html }: Example): { markdown: string; html: string } {
  const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address!)
  const relative = addresses.filter((address) => address && !/^[a-z][a-z0-9+.-]+:/i.test(address))
  const written = [...new Set(relative.flatMap((address) => [address, decodeURI(address)]))]
    .toSorted((a, b) => b.length - a.length)
    .map((address) => address.replaceAll(/[.*+?^${}()|[\]\\/":!]/g, String.raw`\\?\$&`))
  const pattern = new RegExp(`(?<![\\w/.])/?(${written.join('|')})`, 'g')
  const add = (text: string) =>
    written.length === 0
      ? text
      : text.replaceAll(
          pattern,
          (_found, address: string) => `https://a.example/${address.replace(/^\//, '')}`,
        )
  return { markdown: add(markdown.replaceAll('→', '\t')), html: add(html.replaceAll('→', '\t')) }
}

function rendered(example: Example): (Shape | string)[] {
  return shapes(bodyTree(withOrigins(example).markdown)[0] as Exclude<Tree, string>).children
}

function shapes(tree: Exclude<Tree, string>): Shape {
  const { tag, attributes, children } = tree
  if (tag === 'linnet-code')
    return {
      tag: 'pre',
      value: String(attributes['language']),
      children: [String(attributes['text'])].filter(Boolean),
    }
  const value = tag === 'a' ? attributes['href'] : tag === 'ol' ? attributes['start'] : ''
  return {
    tag,
    value: String(value ?? ''),
    children: joinText(
      children.map((child) => (typeof child === 'string' ? child : shapes(child))),
      tag === 'code',
    ),
  }
}

/** The HTML of the specification as Linnet means it: headings are bold lines, pictures are links, lines stay lines. */
function specified(example: Example): (Shape | string)[] {
  const { html } = withOrigins(example)
  return inline(new DOMParser().parseFromString(html, 'text/html').body, false)
}

const BLOCKS = 'P,LI,H1,H2,H3,H4,H5,H6,UL,OL,BLOCKQUOTE,PRE,HR'

function inline(parent: Element, keepsSpace: boolean): (Shape | string)[] {
  const isContainer =
    parent.matches('blockquote, body') || [...parent.children].some((child) => child.matches(BLOCKS))
  return joinText(
    [...parent.childNodes].flatMap((node, at, all): (Shape | string)[] => {
      if (node instanceof Element) return [specifiedElement(node)]
      let text = node.textContent ?? ''
      if (keepsSpace) return [text]
      // Between blocks, and after a hard line break, the specification's HTML has line breaks of its own.
      if (isContainer) text = text.replace(/\n$/, '').replace(/^\n/, '')
      if (all[at - 1]?.nodeName === 'BR') text = text.replace(/^\n/, '')
      return text
        .split('\n')
        .flatMap((line, n) => (n === 0 ? [line] : [{ tag: 'br', value: '', children: [] }, line]))
    }),
    keepsSpace,
  )
}

function specifiedElement(node: Element): Shape {
  const tag = node.tagName.toLowerCase()
  if (tag === 'pre') {
    const code = node.firstElementChild
    const language = /language-(\S*)/.exec(code?.className ?? '')?.[1] ?? ''
    return { tag, value: language, children: [(code?.textContent ?? '').replace(/\n$/, '')].filter(Boolean) }
  }
  if (tag === 'img') {
    return { tag: 'a', value: addressOf(node, 'src'), children: joinText([node.getAttribute('alt') ?? '']) }
  }
  if (tag === 'a') return { tag, value: addressOf(node, 'href'), children: inline(node, false) }
  if (tag === 'ol') return { tag, value: node.getAttribute('start') ?? '1', children: inline(node, false) }
  const name = /^h[1-6]$/.test(tag) ? 'p' : tag
  return { tag: name, value: '', children: inline(node, tag === 'code') }
}

/** In the form of browsers, which do not encode brackets. */
function addressOf(node: Element, attribute: string): string {
  const href = safeHref(node.getAttribute(attribute) ?? '') ?? ''
  return href.replaceAll('%5B', '[').replaceAll('%5D', ']')
}

/** Joins text, and collapses its spaces as a browser does. */
function joinText(nodes: (Shape | string)[], keepsSpace = false): (Shape | string)[] {
  const joined: (Shape | string)[] = []
  for (const node of nodes) {
    const last = joined.at(-1)
    if (typeof node === 'string' && typeof last === 'string') joined[joined.length - 1] = last + node
    else joined.push(node)
  }
  if (keepsSpace) return joined
  const isBreak = (at: number) => {
    const node = joined[at]
    return (
      node === undefined ||
      (typeof node !== 'string' && /^(?:br|p|ul|ol|li|pre|blockquote|hr)$/.test(node.tag))
    )
  }
  return joined.flatMap((node, at) => {
    if (typeof node !== 'string') return node
    let text = node.replaceAll(/[ \t\n]+/g, ' ')
    if (isBreak(at - 1)) text = text.trimStart()
    if (isBreak(at + 1)) text = text.trimEnd()
    return text === '' ? [] : text
  })
}
