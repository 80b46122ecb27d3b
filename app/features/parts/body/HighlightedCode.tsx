import { common, createLowlight } from 'lowlight'
import { createElement, Fragment, type ReactNode } from 'react'
import styles from './HighlightedCode.module.css'

const lowlight = createLowlight(common)

type Tree = ReturnType<typeof lowlight.highlight>
type Node = Tree['children'][number]

/** The class of each kind of token; others have the text colour. */
const TOKEN_CLASSES: Record<string, string | undefined> = {
  'hljs-keyword': styles.keyword,
  'hljs-built_in': styles.keyword,
  'hljs-literal': styles.keyword,
  'hljs-selector-tag': styles.keyword,
  'hljs-name': styles.keyword,
  'hljs-comment': styles.comment,
  'hljs-quote': styles.comment,
  'hljs-meta': styles.comment,
  'hljs-string': styles.string,
  'hljs-regexp': styles.string,
  'hljs-title': styles.title,
}

/** Highlighted code; unknown languages are shown as text. */
export default function HighlightedCode({ text, language }: { text: string; language: string }) {
  if (!lowlight.registered(language)) return text
  const parts: ReactNode[] = []
  appendParts(parts, lowlight.highlight(language, text).children)
  return createElement(Fragment, null, ...parts)
}

/**
 * Appends the text of tokens, one after the other with the class of the innermost that has one: grammars nest them to any
 * depth, and the page could not render a thousand elements in each other.
 */
function appendParts(parts: ReactNode[], nodes: Node[], outerClass?: string): void {
  for (const node of nodes) {
    if (node.type === 'text') {
      parts.push(outerClass ? <span className={outerClass}>{node.value}</span> : node.value)
    } else if (node.type === 'element') {
      const names = Array.isArray(node.properties['className']) ? node.properties['className'] : []
      const className = names.map((name) => TOKEN_CLASSES[String(name)]).find(Boolean)
      appendParts(parts, node.children as Node[], className ?? outerClass)
    }
  }
}
