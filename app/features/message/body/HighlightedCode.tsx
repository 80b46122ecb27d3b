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
  return renderNodes(lowlight.highlight(language, text).children)
}

function renderNodes(nodes: Node[]): ReactNode {
  return createElement(Fragment, null, ...nodes.map(renderNode))
}

function renderNode(node: Node): ReactNode {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const names = Array.isArray(node.properties['className']) ? node.properties['className'] : []
  const className = names.map((name) => TOKEN_CLASSES[String(name)]).find(Boolean)
  return <span className={className}>{renderNodes(node.children as Node[])}</span>
}
