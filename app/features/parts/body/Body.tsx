import type { Token, Tokens } from 'marked'
import { createElement, Fragment, lazy, Suspense, type ComponentType, type ReactNode } from 'react'
import { cx } from '../../../ui/cx.ts'
import { withEmoji } from '../emoji/EmojiText.tsx'
import styles from './Body.module.css'
import { Code } from './Code.tsx'
import { Mention } from './Mention.tsx'
import {
  isAction,
  parseBody,
  safeHref,
  type FormulaToken,
  type MentionToken,
  type SpoilerToken,
  type TaskItem,
} from './parseBody.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

// The source of a formula is displayed until these components are loaded, or if they can't be loaded.
const Formula = lazy<ComponentType<{ tex: string; isDisplay: boolean }>>(() =>
  import('./Formula.tsx').catch(() => ({ default: ({ tex }) => formulaSource(tex) })),
)
const Spoiler = lazyComponent(() => import('./Spoiler.tsx'), { preload: true })
const Task = lazyComponent(() => import('./Task.tsx'), { preload: true })

/** The element that is rendered in place of a token. */
export interface ElementToken {
  type: 'element'
  raw: string
  element: ReactNode
}

interface Props {
  body: string
  /** Appended to the last line. */
  after?: ReactNode
  /** Replaces tokens, for example by the tokens of an excerpt. */
  change?: (tokens: Token[]) => Token[]
}

/** Renders Markdown as elements, never as HTML. */
export function Body({ body, after, change }: Props) {
  const parsed = parseBody(body)
  const tokens = change ? change(parsed) : parsed
  const last = tokens.at(-1)
  const joins = last?.type === 'paragraph'
  return (
    <div className={cx(styles.body, isAction(body) && styles.action)} dir="auto">
      {blocks(joins ? tokens.slice(0, -1) : tokens)}
      {joins ? (
        <p dir="auto">
          {inlines(last.tokens)}
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

function blocks(tokens: Token[]): ReactNode {
  return withoutKeys(tokens.map(block))
}

function inlines(tokens: Token[] | undefined): ReactNode {
  return withoutKeys((tokens ?? []).map(inline))
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p dir="auto">{inlines(token.tokens)}</p>
    case 'heading':
      return (
        <p dir="auto" className={styles.strong}>
          {inlines(token.tokens)}
        </p>
      )
    case 'code':
      return (
        <Code
          text={(token as Tokens.Code).text.replace(/\n$/, '')}
          language={languageOf((token as Tokens.Code).lang)}
        />
      )
    case 'blockquote':
      return <blockquote className={styles.quote}>{blocks(token.tokens ?? [])}</blockquote>
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return <hr className={styles.rule} />
    case 'html':
      return <p dir="auto">{token.raw.trimEnd()}</p>
    default:
      return inline(token)
  }
}

/** The first word after a fence, without what other tools write behind it: "js{1,3}". */
function languageOf(info: string | undefined): string {
  return info?.split(/[\s,{]/)[0]?.toLowerCase() ?? ''
}

function list(token: Tokens.List): ReactNode {
  const items = withoutKeys(token.items.map(listItem))
  if (token.ordered) {
    return (
      <ol start={token.start === '' ? 1 : token.start} dir="auto">
        {items}
      </ol>
    )
  }
  return <ul dir="auto">{items}</ul>
}

function listItem(item: Tokens.ListItem): ReactNode {
  if (!item.task) return <li>{blocks(item.tokens)}</li>
  const content = item.tokens.filter((inner) => inner.type !== 'checkbox')
  const label = tokensText(content).trim()
  return (
    <Suspense fallback={<li className={styles.task}>{blocks(content)}</li>}>
      <Task line={(item as TaskItem).taskLine ?? ''} isDoneInText={item.checked === true} label={label}>
        {blocks(content)}
      </Task>
    </Suspense>
  )
}

function table(token: Tokens.Table): ReactNode {
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>{withoutKeys(token.header.map(headCell))}</tr>
        </thead>
        <tbody>{withoutKeys(token.rows.map(tableRow))}</tbody>
      </table>
    </div>
  )
}

function headCell(cell: Tokens.TableCell): ReactNode {
  return <th>{inlines(cell.tokens)}</th>
}

function tableRow(row: Tokens.TableCell[]): ReactNode {
  return <tr>{withoutKeys(row.map(tableCell))}</tr>
}

function tableCell(cell: Tokens.TableCell): ReactNode {
  return <td>{inlines(cell.tokens)}</td>
}

function inline(token: Token): ReactNode {
  switch (token.type) {
    case 'mention':
      return <Mention who={(token as unknown as MentionToken).who} />
    case 'formula':
      return formula(token as unknown as FormulaToken)
    case 'spoiler':
      return spoiler((token as unknown as SpoilerToken).tokens)
    case 'strong':
      return <strong className={styles.strong}>{inlines(token.tokens)}</strong>
    case 'em':
      return <em>{inlines(token.tokens)}</em>
    case 'del':
      return <del>{inlines(token.tokens)}</del>
    case 'codespan':
      return <code className={styles.codespan}>{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'link':
      return link((token as Tokens.Link).href, inlines(token.tokens), token.raw)
    case 'image':
      // Shown as a link: fetching an external image would tell its server who reads the message.
      return link((token as Tokens.Image).href, tokensText(token.tokens ?? []) || token.raw, token.raw)
    case 'text':
      return (token as Tokens.Text).tokens
        ? inlines((token as Tokens.Text).tokens)
        : withEmoji((token as Tokens.Text).text)
    case 'escape':
      return (token as Tokens.Escape).text
    case 'element':
      return (token as unknown as ElementToken).element
    default:
      return token.raw
  }
}

function formula({ text, isDisplay }: FormulaToken): ReactNode {
  return (
    <Suspense fallback={formulaSource(text)}>
      <Formula tex={text} isDisplay={isDisplay} />
    </Suspense>
  )
}

function formulaSource(tex: string): ReactNode {
  return <code className={styles.codespan}>{tex}</code>
}

/** Until the component is loaded, the text is hidden from everybody. */
function spoiler(tokens: Token[]): ReactNode {
  const content = inlines(tokens)
  return (
    <Suspense fallback={<span className={styles.hidden}>{content}</span>}>
      <Spoiler>{content}</Spoiler>
    </Suspense>
  )
}

/** The text of tokens, without emphasis and addresses. */
function tokensText(tokens: readonly Token[]): string {
  return (tokens as Tokens.Generic[])
    .map(({ tokens: inner, text, raw }) => (inner ? tokensText(inner) : String(text ?? raw)))
    .join('')
}

function link(href: string, children: ReactNode, raw: string): ReactNode {
  const safe = safeHref(href)
  if (!safe) return raw
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
