import { Fragment, isValidElement, Suspense, type ReactElement, type ReactNode } from 'react'
import { EmojiName } from '../../emoji/EmojiText.tsx'
import styles from '../Body.module.css'
import { Body } from '../Body.tsx'
import { Code } from '../Code.tsx'
import { Mention } from '../Mention.tsx'

/** An element with the attributes that React sets, or text. */
export type Tree = string | { tag: string; attributes: Record<string, unknown>; children: Tree[] }

/** Components with state of their own: their properties are what the author's text determines. */
const COMPONENTS = new Map<unknown, string>([
  [Code, 'linnet-code'],
  [Mention, 'linnet-mention'],
  [EmojiName, 'linnet-emoji'],
])

/** The elements of a message's body, without the document. What loads later is represented by its fallback. */
export function bodyTree(body: string): Tree[] {
  return expand(Body({ body }))
}

function expand(node: ReactNode): Tree[] {
  if (node === null || node === undefined || typeof node === 'boolean') return []
  if (typeof node === 'string' || typeof node === 'number') return [String(node)]
  if (Array.isArray(node)) return node.flatMap(expand)
  if (!isValidElement(node)) throw new Error(`a body contains a ${typeof node}, which is not rendered`)
  return expandElement(node as ReactElement<{ children?: ReactNode; fallback?: ReactNode }>)
}

function expandElement({
  type,
  props,
}: ReactElement<{ children?: ReactNode; fallback?: ReactNode }>): Tree[] {
  if (type === Fragment) return expand(props.children)
  if (type === Suspense) return expand(props.fallback)
  const { children, ...attributes } = props
  const tag = typeof type === 'string' ? type : COMPONENTS.get(type)
  if (tag === undefined) throw new Error(`bodyTree does not know the component ${String(type)}`)
  return [{ tag, attributes, children: expand(children) }]
}

/** What each element may have, by its name. No value of these is written by an author but `href`, `start` and `value`. */
const ATTRIBUTES: Record<string, string[]> = {
  div: ['className', 'dir'],
  p: ['className', 'dir'],
  blockquote: ['className'],
  ul: ['dir'],
  ol: ['start', 'className', 'dir'],
  li: ['className', 'value'],
  hr: ['className'],
  br: [],
  table: ['className'],
  thead: [],
  tbody: [],
  tr: [],
  th: ['className'],
  td: ['className'],
  strong: ['className'],
  span: ['className'],
  em: [],
  del: [],
  code: ['className'],
  a: ['href', 'target', 'rel'],
  // Their properties are text, which they render as text.
  'linnet-code': ['text', 'language'],
  'linnet-mention': ['who'],
  'linnet-emoji': ['name'],
}

const CLASSES =
  'body action large task parenthesis strong quote codespan rule scroll table center end hidden'.split(' ')

const IS_HARMLESS: Record<string, (value: unknown) => boolean> = {
  // Names of CSS modules, never text of the message.
  className: (value) =>
    value === undefined ||
    String(value)
      .split(' ')
      .every((part) => CLASSES.some((name) => styles[name] === part)),
  dir: (value) => value === 'auto',
  target: (value) => value === '_blank',
  rel: (value) => value === 'noopener noreferrer',
  href: (value) => typeof value === 'string' && /^(?:https?:\/\/|mailto:)/.test(value),
  start: (value) => Number.isSafeInteger(value),
  value: (value) => Number.isSafeInteger(value),
}

/** What is neither an element of a body nor one of its attributes, as "name attribute=value". */
export function unsafeParts(trees: readonly Tree[]): string[] {
  return trees.flatMap((tree) => {
    if (typeof tree === 'string') return []
    const { tag, attributes, children } = tree
    const allowed = ATTRIBUTES[tag]
    if (!allowed) return [tag]
    const isText = tag.startsWith('linnet-')
    const parts = Object.entries(attributes).flatMap(([name, value]) => {
      const isSafe =
        allowed.includes(name) && (isText ? typeof value === 'string' : IS_HARMLESS[name]?.(value) === true)
      return isSafe ? [] : [`${tag} ${name}=${String(value)}`]
    })
    return [...parts, ...unsafeParts(children)]
  })
}
