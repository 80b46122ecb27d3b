/** Values of a template, used as `{{ .Name }}` or `{{ .Data.name }}`. */
export type TemplateValues = Record<string, unknown>

/** An invalid template: `message` is a sentence for its author. */
export class TemplateError extends Error {}

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: string[]; context: HtmlContext }
  | { kind: 'if'; branches: { test: Test | null; body: Node[] }[] }

interface Test {
  op: 'truth' | 'eq' | 'ne'
  operands: Operand[]
  negated: boolean
}
type Operand = { path: string[] } | { literal: string }

/** The context of a value in the HTML, which decides how it is escaped. */
type HtmlContext = 'text' | 'attribute' | 'url-start' | 'url-path' | 'url-query'

export type Template = (values: TemplateValues) => string

/**
 * Parses the part of Go's template language that mails use: `{{ .Field }}`, `if`, `else if`, `else`, `end`,
 * `eq`, `ne`, `not`, comments and trimming (`{{-`). As html, values are escaped by context like in Go's
 * html/template: in text, in an attribute, or in the query of a link. As text, nothing is escaped.
 * @throws TemplateError
 */
export function parseTemplate(source: string, as: 'html' | 'text'): Template {
  const tokens = tokenize(source)
  const state = { position: 0 }
  const tracker = createHtmlContextTracker(as)
  try {
    const nodes = parseNodes(tokens, state, tracker)
    if (state.position < tokens.length) {
      throw new TemplateError('there is an {{ end }} or {{ else }} too many')
    }
    return (values) => renderNodes(nodes, values, as)
  } catch (error) {
    const line = (tokens[state.position] ?? tokens.at(-1))?.line
    throw error instanceof TemplateError ? new TemplateError(`line ${line ?? 1}: ${error.message}`) : error
  }
}

/** A token with its line number. */
type Token = ({ text: string } | { action: string }) & { line: number }

function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let rest = 0
  let trim = false
  const pattern = /\{\{(-\s)?\s*((?:\/\*[\s\S]*?\*\/)|(?:"[^"]*"|[^"}]|\}(?!\}))*?)\s*(\s-)?\}\}/g
  const lineAt = (index: number): number => source.slice(0, index).split('\n').length
  for (const match of source.matchAll(pattern)) {
    const line = lineAt(match.index)
    let text = source.slice(rest, match.index)
    if (trim) text = text.trimStart()
    if (match[1]) text = text.trimEnd()
    if (text !== '') tokens.push({ text, line })
    if (!match[2]!.startsWith('/*')) tokens.push({ action: match[2]!.trim(), line })
    trim = match[3] !== undefined
    rest = match.index + match[0].length
  }
  const tail = source.slice(rest)
  if (tail.includes('{{')) {
    throw new TemplateError(`line ${lineAt(rest + tail.indexOf('{{'))}: there is a {{ without its }}`)
  }
  if (tail !== '') tokens.push({ text: trim ? tail.trimStart() : tail, line: lineAt(rest) })
  return tokens
}

function parseNodes(tokens: Token[], state: { position: number }, tracker: HtmlContextTracker): Node[] {
  const nodes: Node[] = []
  while (state.position < tokens.length) {
    const token = tokens[state.position]!
    if ('text' in token) {
      nodes.push({ kind: 'text', text: token.text })
      tracker.addText(token.text)
    } else if (token.action === 'end' || /^else\b/.test(token.action)) {
      return nodes
    } else if (/^if\s/.test(token.action)) {
      nodes.push(parseIf(tokens, state, tracker))
    } else {
      nodes.push({ kind: 'value', path: parsePath(token.action), context: tracker.current() })
      tracker.addValue()
    }
    state.position++
  }
  return nodes
}

function parseIf(tokens: Token[], state: { position: number }, tracker: HtmlContextTracker): Node {
  const branches: { test: Test | null; body: Node[] }[] = []
  let action = (tokens[state.position] as { action: string }).action
  for (;;) {
    const condition = /^(?:else\s+)?if\s+(.*)$/s.exec(action)?.[1]
    state.position++
    branches.push({
      test: condition === undefined ? null : parseTest(condition),
      body: parseNodes(tokens, state, tracker),
    })
    const next = tokens[state.position]
    if (!next || !('action' in next)) throw new TemplateError('an {{ if }} has no {{ end }}')
    if (next.action === 'end') return { kind: 'if', branches }
    action = next.action
  }
}

function parseTest(condition: string): Test {
  const tokens = condition.match(/"(?:[^"\\]|\\.)*"|`[^`]*`|[^\s()]+/g) ?? []
  const negated = tokens[0] === 'not'
  if (negated) tokens.shift()
  const op = tokens[0] === 'eq' || tokens[0] === 'ne' ? (tokens.shift() as 'eq' | 'ne') : 'truth'
  const operands = tokens.map((token): Operand => {
    if (token.startsWith('"')) return { literal: JSON.parse(token) as string }
    if (token.startsWith('`')) return { literal: token.slice(1, -1) }
    return { path: parsePath(token) }
  })
  if (operands.length !== (op === 'truth' ? 1 : 2)) {
    throw new TemplateError(`{{ if ${condition} }} is not a condition that is known here`)
  }
  return { op, operands, negated }
}

function parsePath(action: string): string[] {
  if (!/^\.[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(action)) {
    throw new TemplateError(
      `{{ ${action} }} is not known here: only values such as {{ .Email }}, if, else and end are`,
    )
  }
  return action.slice(1).split('.')
}

function valueOf(values: TemplateValues, path: string[]): unknown {
  let value: unknown = values
  for (const key of path) {
    value =
      value && typeof value === 'object' && Object.hasOwn(value, key)
        ? (value as TemplateValues)[key]
        : undefined
  }
  return value
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
}

function evaluateTest(test: Test, values: TemplateValues): boolean {
  const [first, second] = test.operands.map((operand) =>
    'literal' in operand ? operand.literal : valueOf(values, operand.path),
  )
  const truth =
    test.op === 'truth'
      ? Boolean(first) && (typeof first !== 'object' || Object.keys(first as object).length > 0)
      : (toText(first) === toText(second)) === (test.op === 'eq')
  return truth !== test.negated
}

function renderNodes(nodes: Node[], values: TemplateValues, as: 'html' | 'text'): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text
      if (node.kind === 'value') {
        const text = toText(valueOf(values, node.path))
        return as === 'html' ? escapeValue(text, node.context) : text
      }
      const matching = node.branches.find(
        (branch) => branch.test === null || evaluateTest(branch.test, values),
      )
      return matching ? renderNodes(matching.body, values, as) : ''
    })
    .join('')
}

/** Escapes text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;')
}

function escapeValue(text: string, context: HtmlContext): string {
  // An unpaired surrogate cannot be encoded, and would throw.
  if (context === 'url-query')
    return escapeHtml(encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd')))
  if (context === 'url-start' && !/^(https?:|mailto:|[^:]*$|[^:/?#]*[/?#])/i.test(text)) return '#'
  if (context === 'url-start' || context === 'url-path')
    return escapeHtml(text.replace(/[\s"'<>\\^`{|}]/g, encodeURIComponent))
  return escapeHtml(text)
}

interface HtmlContextTracker {
  addText(text: string): void
  addValue(): void
  current(): HtmlContext
}

/** Tracks static HTML far enough to know whether the next value is in a link. */
function createHtmlContextTracker(as: 'html' | 'text'): HtmlContextTracker {
  let open = ''
  const attribute = /\s(href|src|action|formaction|background|cite)\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"'>]*))$/i
  return {
    addText(text) {
      if (as === 'html') open = (open + text).slice(-4096)
    },
    addValue() {
      open += 'x'
    },
    current() {
      const tag = open.slice(open.lastIndexOf('<'))
      if (!tag.startsWith('<') || /^<[^"']*(?:"[^"]*"[^"']*|'[^']*'[^"']*)*>/.test(tag)) return 'text'
      const link = attribute.exec(tag)
      if (!link) return 'attribute'
      const before = link[2] ?? link[3] ?? link[4] ?? ''
      if (before === '') return 'url-start'
      return /[?#]/.test(before) ? 'url-query' : 'url-path'
    },
  }
}
