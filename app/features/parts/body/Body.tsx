import { createElement, Fragment, lazy, Suspense, type ComponentType, type ReactNode } from 'react'
import { isAction, parseBody } from '../../../../wire/body/parseBody.ts'
import { shownText } from '../../../../wire/body/plainText.ts'
import {
  codeText,
  type Block,
  type CodeBlock,
  type Inline,
  type Link,
  type List,
  type ListItem,
  type SourceRange,
  type Table,
  type TableCell,
} from '../../../../wire/body/tree.ts'
import { cx } from '../../../ui/cx.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { Link as PageLink } from '../../../ui/Link.tsx'
import { EmojiName } from '../emoji/EmojiText.tsx'
import styles from './Body.module.css'
import { isBare, ownPageOf } from './cardLinks.ts'
import { Code } from './Code.tsx'
import { isLargeEmoji } from './isLargeEmoji.ts'
import { limitCost } from './limitCost.ts'
import { Mention } from './Mention.tsx'

// The source of a formula is displayed until these components are loaded, or if they can't be loaded.
const Formula = lazy<ComponentType<{ tex: string; isDisplay: boolean }>>(() =>
  import('./Formula.tsx').catch(() => ({ default: ({ tex }) => formulaSource(tex) })),
)
const NamedLink = lazyComponent(() => import('./NamedLink.tsx'), { preload: true })
const Spoiler = lazyComponent(() => import('./Spoiler.tsx'), { preload: true })
const Task = lazyComponent(() => import('./Task.tsx'), { preload: true })

/** An element that is rendered in place of a node. */
export interface ElementNode extends SourceRange {
  type: 'element'
  element: ReactNode
}

/** Returns the blocks to display, for example the blocks of an excerpt. Their nodes can be elements. */
export type ChangeBlocks = (blocks: Block[], source: string) => (Block | ElementNode)[]

interface Props {
  body: string
  /** Appended to the last line. */
  after?: ReactNode
  change?: ChangeBlocks
}

/** Renders the text of a message as elements, never as HTML. */
export function Body({ body, after, change }: Props) {
  const parsed = limitCost(parseBody(body), body)
  const blocks = change ? change(parsed, body) : parsed
  const last = blocks.at(-1)
  const joins = last?.type === 'paragraph'
  return (
    <div
      className={cx(styles.body, isAction(body) && styles.action, isLargeEmoji(parsed) && styles.large)}
      dir="auto"
    >
      {renderBlocks(joins ? blocks.slice(0, -1) : blocks, body)}
      {joins ? (
        <p dir="auto">
          {renderInlines(last.children)}
          {after}
        </p>
      ) : (
        after
      )}
    </div>
  )
}

/** Children without keys: a body is replaced as a whole, never reordered. */
function withoutKeys(children: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...children)
}

function renderBlocks(blocks: readonly (Block | ElementNode)[], source: string): ReactNode {
  return withoutKeys(blocks.map((block) => renderBlock(block, source)))
}

function renderInlines(nodes: readonly (Inline | ElementNode)[]): ReactNode {
  return nodes.length === 1 ? renderInline(nodes[0]!) : withoutKeys(nodes.map(renderInline))
}

function renderBlock(block: Block | ElementNode, source: string): ReactNode {
  switch (block.type) {
    case 'paragraph':
      return <p dir="auto">{renderInlines(block.children)}</p>
    case 'heading':
      return (
        <p dir="auto" className={styles.strong}>
          {renderInlines(block.children)}
        </p>
      )
    case 'codeBlock':
      return renderCode(block, source)
    case 'formulaBlock':
      return renderFormula(block.text, true)
    case 'quote':
      return <blockquote className={styles.quote}>{renderBlocks(block.children, source)}</blockquote>
    case 'list':
      return renderList(block, source)
    case 'table':
      return renderTable(block)
    case 'rule':
      return <hr className={styles.rule} />
    case 'element':
      return block.element
  }
}

function renderCode({ children, language }: CodeBlock, source: string): ReactNode {
  const text = codeText(source, children)
  return children.some(({ type }) => type === 'mention') ? (
    <Code text={text} language="">
      {renderInlines(children)}
    </Code>
  ) : (
    <Code text={text} language={language} />
  )
}

function renderList({ isOrdered, items }: List, source: string): ReactNode {
  if (!isOrdered) return <ul dir="auto">{withoutKeys(items.map((item) => renderItem(item, source)))}</ul>
  const first = items[0]!
  return (
    <ol
      start={first.number ?? 1}
      className={first.marker.endsWith(')') ? styles.parenthesis : undefined}
      dir="auto"
    >
      {withoutKeys(items.map((item, at) => renderItem(item, source, items[at - 1])))}
    </ol>
  )
}

function renderItem(item: ListItem, source: string, before?: ListItem): ReactNode {
  const content = renderItemContent(item, source)
  if (!item.task) {
    // A number is shown as it was typed.
    const isNext = item.number === null || !before || item.number === (before.number ?? 0) + 1
    return isNext ? <li>{content}</li> : <li value={item.number!}>{content}</li>
  }
  const { line, isDone } = item.task
  const [first] = item.children
  const label = first && 'children' in first ? shownText(source, first.children as Inline[]).trim() : ''
  return (
    <Suspense fallback={<li className={styles.task}>{content}</li>}>
      <Task line={line} isDoneInText={isDone} label={label}>
        {content}
      </Task>
    </Suspense>
  )
}

/** The first paragraph of an item is beside its marker. */
function renderItemContent({ children }: ListItem, source: string): ReactNode {
  const [first, ...others] = children
  if (first?.type !== 'paragraph') return renderBlocks(children, source)
  const text = renderInlines(first.children)
  return others.length === 0 ? text : withoutKeys([text, renderBlocks(others, source)])
}

function renderTable({ alignments, header, rows }: Table): ReactNode {
  const classNames = alignments.map((alignment) =>
    alignment === 'center' ? styles.center : alignment === 'end' ? styles.end : undefined,
  )
  const head = (cell: TableCell, at: number) => (
    <th className={classNames[at]}>{renderInlines(cell.children)}</th>
  )
  const cell = ({ children }: TableCell, at: number) => (
    <td className={classNames[at]}>{renderInlines(children)}</td>
  )
  const tableRow = (cells: TableCell[]) => <tr>{withoutKeys(cells.map(cell))}</tr>
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>{withoutKeys(header.map(head))}</tr>
        </thead>
        <tbody>{withoutKeys(rows.map(tableRow))}</tbody>
      </table>
    </div>
  )
}

function renderInline(node: Inline | ElementNode): ReactNode {
  switch (node.type) {
    case 'text':
      return node.text
    case 'lineBreak':
      return <br />
    case 'mention':
      return <Mention who={node.who} />
    case 'emoji':
      return <EmojiName name={node.name} />
    case 'formula':
      return renderFormula(node.text, node.isDisplay)
    case 'spoiler':
      return renderSpoiler(node.children)
    case 'strong':
      return <strong className={styles.strong}>{renderInlines(node.children)}</strong>
    case 'emphasis':
      return <em>{renderInlines(node.children)}</em>
    case 'strikethrough':
      return <del>{renderInlines(node.children)}</del>
    case 'code':
      return <code className={styles.codespan}>{renderInlines(node.children)}</code>
    case 'link':
      return renderLink(node)
    case 'element':
      return node.element
  }
}

/** A link to a page of this app opens in place. Without a text of its own it has the name of what it leads to. */
function renderLink(node: Link): ReactNode {
  const content = renderInlines(node.children)
  const own = ownPageOf(node)
  if (!own) {
    // A picture is a link, too: fetching it would tell its server who reads the message.
    return (
      <a href={node.href} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    )
  }
  const link = <PageLink href={own.path}>{content}</PageLink>
  if (!isBare(node)) return link
  return (
    <Suspense fallback={link}>
      <NamedLink {...own}>{content}</NamedLink>
    </Suspense>
  )
}

function renderFormula(tex: string, isDisplay: boolean): ReactNode {
  return (
    <Suspense fallback={formulaSource(tex)}>
      <Formula tex={tex} isDisplay={isDisplay} />
    </Suspense>
  )
}

function formulaSource(tex: string): ReactNode {
  return <code className={styles.codespan}>{tex}</code>
}

/** Until the component is loaded, the text is hidden from everybody. */
function renderSpoiler(children: Inline[]): ReactNode {
  const content = renderInlines(children)
  return (
    <Suspense fallback={<span className={styles.hidden}>{content}</span>}>
      <Spoiler>{content}</Spoiler>
    </Suspense>
  )
}
